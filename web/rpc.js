/**
 * Calls from the page to a worker, as promises.
 *
 * Knows message ids and nothing else: not what the methods do, not Pyodide, not the DOM.
 *
 * @import { Port, Progress, Reply, Request, WireError } from './types.d.ts'
 */

/** A failure the worker expected and described. Branch on `code`, show `message`. */
export class RemoteError extends Error {
  /** @param {WireError} wire */
  constructor(wire) {
    super(wire.message)
    this.name = 'RemoteError'
    this.code = wire.code
    this.wire = wire
  }
}

/**
 * Wrap a worker (or one end of a MessageChannel, in tests).
 *
 * Replies may come in any order. A reply with an unknown id is a bug in the worker and throws, so
 * that it shows in the console instead of leaving a promise open for ever.
 *
 * @param {Port} port
 */
export function createClient(port) {
  /** @typedef {{ resolve(value: unknown): void, reject(error: Error): void, onProgress?: (progress: Progress) => void }} Pending */

  /** @type {Map<number, Pending>} */
  const pending = new Map()
  /** @type {Error | null} */
  let closed = null
  let lastId = 0

  port.addEventListener('message', listen)

  /** @param {MessageEvent} event */
  function listen({ data }) {
    settle(data)
  }

  /** @param {Reply} reply */
  function settle(reply) {
    const call = pending.get(reply.id)
    if (!call) throw new Error(`reply to unknown call ${reply.id}`)
    if ('progress' in reply) {
      call.onProgress?.(reply.progress)
      return
    }
    pending.delete(reply.id)
    if ('error' in reply) call.reject(new RemoteError(reply.error))
    else call.resolve(reply.result)
  }

  /**
   * An aborted call stays pending until the worker says that it stopped (code `cancelled`), so
   * that nobody starts work on a worker that is still busy. Give up on it with `close`.
   *
   * @param {string} method
   * @param {unknown} params structured-cloneable
   * @param {{ data?: Uint8Array, transfer?: Transferable[], signal?: AbortSignal, onProgress?: (progress: Progress) => void }} [options]
   *   the buffers of `data` and in `transfer` are empty on this side afterwards
   * @returns {Promise<unknown>}
   * @throws {RemoteError} if the worker reports a failure
   */
  function call(method, params, { data, transfer = [], signal, onProgress } = {}) {
    if (closed) return Promise.reject(closed)
    if (signal?.aborted) return Promise.reject(cancelled())
    lastId += 1
    const id = lastId
    /** @type {Request} */
    const request = data ? { id, method, params, data } : { id, method, params }
    const buffers = data ? [data.buffer, ...transfer] : transfer
    const askToStop = () => port.postMessage({ cancel: id })
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject, onProgress })
      signal?.addEventListener('abort', askToStop, { once: true })
      port.postMessage(request, /** @type {Transferable[]} */ (buffers))
    }).finally(() => signal?.removeEventListener('abort', askToStop))
  }

  /**
   * Reject everything that is pending and every later call. Later replies are dropped.
   *
   * @param {Error} reason
   */
  function close(reason) {
    closed = reason
    port.removeEventListener('message', listen)
    for (const { reject } of pending.values()) reject(reason)
    pending.clear()
  }

  return { call, close, size: () => pending.size }
}

/** The error of a call that a person stopped. */
export function cancelled() {
  return new RemoteError({ code: 'cancelled', message: 'Stopped before it was finished.' })
}

/** @param {unknown} error */
export function isCancelled(error) {
  return error instanceof RemoteError && error.code === 'cancelled'
}

/**
 * Whether the worker that was asked is gone: nothing is said against the question itself.
 *
 * @param {unknown} error
 */
export function isLost(error) {
  return error instanceof RemoteError && error.code === 'worker-lost'
}

/**
 * Any error in wire form, so that one kind of thing is shown to people.
 *
 * @param {unknown} error
 * @returns {WireError}
 */
export function asWire(error) {
  if (error instanceof RemoteError) return error.wire
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'internal', message }
}
