/**
 * Changes that come close together are drawn once, with the next frame of the screen.
 */

const LATEST_MS = 100 // a tab that is not seen has no frames

/**
 * @param {() => void} draw
 * @param {{ frame?: (callback: () => void) => unknown, wait?: (callback: () => void, ms: number) => unknown }} [clock]
 * @returns {() => void} asks for a drawing, however often it is called before that
 */
export function drawOncePerFrame(
  draw,
  { frame = (go) => requestAnimationFrame(go), wait = (go, ms) => setTimeout(go, ms) } = {},
) {
  let turn = 0
  let asked = false
  return () => {
    if (asked) return
    asked = true
    turn += 1
    const mine = turn
    const go = () => {
      if (!asked || mine !== turn) return
      asked = false
      draw()
    }
    frame(go)
    wait(go, LATEST_MS)
  }
}
