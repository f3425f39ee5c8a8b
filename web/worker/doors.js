/**
 * Closes the ways out of a worker's scope, for good: a name that is locked cannot be given back.
 */

/** What could reach the network, or keep or pass on what a worker has seen. */
export const DOORS = [
  'XMLHttpRequest',
  'WebSocket',
  'WebSocketStream',
  'WebTransport',
  'EventSource',
  'BroadcastChannel',
  'Worker',
  'caches',
  'indexedDB',
]

/**
 * @param {string} name
 * @param {unknown} value
 */
export function lock(name, value) {
  Object.defineProperty(self, name, { value, writable: false, configurable: false })
}
