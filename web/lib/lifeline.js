/**
 * How the page learns that a worker is gone. A worker that runs out of memory, or that the browser
 * ends, tells nobody: no event, no message, and calls stay open. But a lock that it held is given
 * back, so the page waits for that lock. Where there are no locks (plain http from another machine)
 * only an error event tells.
 */

/** A name that no other worker has, or '' where there are no locks. */
export function nameLifeline() {
  return globalThis.navigator?.locks ? `leakladder-${crypto.randomUUID()}` : ''
}

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
 * The page's side, once the worker holds its lock: call back when it is given up.
 *
 * @param {string} name
 * @param {AbortSignal} signal aborted before the page itself ends the worker
 * @param {() => void} onGone
 */
export function watchLifeline(name, signal, onGone) {
  navigator.locks.request(name, { signal }, onGone).catch((error) => {
    if (!signal.aborted) throw error
  })
}
