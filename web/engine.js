/**
 * The Python worker's life: started from a blob, watched, stopped and replaced.
 *
 * The worker's script comes in as text and starts from a blob, so that the worker inherits the
 * page's content security policy. The build's bytes are kept, so a new worker needs no network.
 *
 * @import { BootAssets, Bounds, Progress, Versions } from './types.d.ts'
 */

import { scriptAddress } from './lib/trusted.js'
import { cancelled, createClient } from './rpc.js'

const PATIENCE_MS = 250 // a stopped step that has not answered by then costs the worker its life
const WATCHDOG_MS = 60_000 // Pyodide waits for ever when its wasm is blocked

/** @typedef {{ script: Blob, wasm: Blob, stdlib: Blob, lock: string, micropip: { name: string, blob: Blob }, wheel: { name: string, blob: Blob }, version: string, bounds: Bounds }} Kept */

/**
 * @param {Kept} kept
 * @param {{ onBoot: (step: string) => void, onReady: (versions: Versions) => void, onFailed: (error: Error) => void, onRestart: () => Promise<void> }} hooks
 *   `onRestart` runs once a replacement is ready and loads the files into it again
 */
export function createEngine(kept, hooks) {
  /** @type {ReturnType<typeof createClient> | null} */
  let client = null
  /** @type {Worker | null} */
  let worker = null
  /** @type {Promise<void>} */
  let ready = start()

  async function start() {
    const address = URL.createObjectURL(kept.script)
    const current = new Worker(scriptAddress(address), { name: 'leakladder-python' })
    const end = createClient(current)
    worker = current
    client = end
    current.addEventListener('error', (event) => {
      end.close(new Error(event.message || 'the worker stopped'))
    })
    try {
      const versions = await watched(end, await copies(kept), hooks.onBoot)
      hooks.onReady(versions)
    } catch (error) {
      hooks.onFailed(/** @type {Error} */ (error))
      throw error
    } finally {
      URL.revokeObjectURL(address)
    }
  }

  function replace() {
    worker?.terminate()
    client?.close(cancelled())
    ready = start().then(hooks.onRestart)
    ready.catch(() => {}) // told through onFailed
  }

  /**
   * @param {string} method
   * @param {unknown} params
   * @param {{ data?: Uint8Array, signal?: AbortSignal, onProgress?: (progress: Progress) => void, early?: boolean }} [options]
   *   `early` does not wait for the files of a restarted worker
   */
  async function call(method, params, { early = false, ...options } = {}) {
    if (!early) await ready
    const end = client
    if (!end) throw new Error('there is no worker')
    const stop = options.signal ? giveUpAfter(options.signal, end) : null
    try {
      return await end.call(method, params, options)
    } finally {
      stop?.()
    }
  }

  /**
   * @param {AbortSignal} signal
   * @param {ReturnType<typeof createClient>} end
   */
  function giveUpAfter(signal, end) {
    let timer = 0
    const abort = () => {
      timer = setTimeout(() => client === end && replace(), PATIENCE_MS)
    }
    signal.addEventListener('abort', abort, { once: true })
    return () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  ready.catch(() => {}) // told through onFailed
  return { call, replace }
}

/**
 * @param {Kept} kept
 * @returns {Promise<BootAssets>}
 */
async function copies({ wasm, stdlib, lock, micropip, wheel, version, bounds }) {
  const blobs = [wasm, stdlib, micropip.blob, wheel.blob]
  const [a, b, c, d] = await Promise.all(blobs.map((blob) => blob.arrayBuffer()))
  return {
    wasm: a,
    stdlib: b,
    lock,
    micropip: { name: micropip.name, bytes: c },
    wheel: { name: wheel.name, bytes: d },
    version,
    bounds,
  }
}

/**
 * @param {ReturnType<typeof createClient>} end
 * @param {BootAssets} assets
 * @param {(step: string) => void} onStep
 * @returns {Promise<Versions>}
 */
async function watched(end, assets, onStep) {
  let step = 'starting the worker'
  const timer = setTimeout(() => {
    end.close(new Error(`Python did not start within a minute; it stopped while ${step}.`))
  }, WATCHDOG_MS)
  const transfer = [assets.wasm, assets.stdlib, assets.micropip.bytes, assets.wheel.bytes]
  try {
    const versions = await end.call('boot', assets, {
      transfer,
      onProgress: ({ phase }) => {
        step = phase
        onStep(phase)
      },
    })
    return /** @type {Versions} */ (versions)
  } finally {
    clearTimeout(timer)
  }
}
