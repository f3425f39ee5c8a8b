/**
 * How the page learns that a worker is gone. A worker that runs out of memory, or that the browser
 * ends, tells nobody: no event, no message, and calls stay open. But a lock that it held is given
 * back, so the page waits for that lock. Where there are no locks (plain http from another machine)
 * only an error event tells.
 */

/**
 * The worker's side: hold the lock for as long as this scope lives, and let nothing else in the
 * scope use locks, which pages of the same origin could watch.
 *
 * @param {string} name
 * @returns {Promise<boolean>} whether it is held
 */
export async function holdLifeline(name) {
  const { locks } = navigator
  const place = Object.getPrototypeOf(navigator)
  Object.defineProperty(place, 'locks', { value: undefined, configurable: false })
  if (!name || !locks) return false
  return new Promise((resolve) => {
    const forever = () => {
      resolve(true)
      return new Promise(() => {})
    }
    locks.request(name, forever).catch(() => resolve(false)) // an origin that may have none
  })
}

/**
 * The page's side: have a worker hold a lock, and call back when it is given up. The worker is asked
 * before anything else that is asked of it later.
 *
 * @param {{ call(method: string, params: unknown): Promise<any> }} client of the worker
 * @param {AbortSignal} signal aborted before the page itself ends the worker
 * @param {() => void} onGone
 */
export async function watchWorker(client, signal, onGone) {
  const name = globalThis.navigator?.locks ? `leakladder-${crypto.randomUUID()}` : ''
  const held = await client.call('hold', name)
  if (!held || signal.aborted) return
  navigator.locks.request(name, { signal }, onGone).catch((error) => {
    if (!signal.aborted) throw error
  })
}
