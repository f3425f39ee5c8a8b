/**
 * Changes that come close together are drawn once, with the next frame of the screen.
 */

const LATEST_MS = 100 // a tab that is not seen has no frames

/**
 * @param {() => void} draw
 * @param {{ frame?: (callback: () => void) => unknown, wait?: (callback: () => void, ms: number) => unknown }} [clock]
 * @returns {{ soon: () => void, now: () => void }} `soon` asks for a drawing, however often it is
 *   called before that; `now` draws at once what was asked for
 */
export function drawOncePerFrame(
  draw,
  { frame = (go) => requestAnimationFrame(go), wait = (go, ms) => setTimeout(go, ms) } = {},
) {
  let turn = 0
  let asked = false
  const now = () => {
    if (!asked) return
    asked = false
    draw()
  }
  const soon = () => {
    if (asked) return
    asked = true
    turn += 1
    const mine = turn
    const go = () => {
      if (mine === turn) now()
    }
    frame(go)
    wait(go, LATEST_MS)
  }
  return { soon, now }
}
