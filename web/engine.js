/**
 * The Python worker's life: started from a blob, watched, stopped and replaced. One that ends by
 * itself is replaced too, and whatever it was asked is answered with an error that says so.
 *
 * The worker's script comes in as text and starts from a blob, so that the worker inherits the
 * page's content security policy. The build's bytes are kept, so a new worker needs no network.
 *
 * @import { BootAssets, Bounds, Progress, Versions } from './types.d.ts'
 */

import { nameLifeline, watchLifeline } from './lib/lifeline.js'
import { scriptAddress } from './lib/trusted.js'
import { cancelled, createClient, isLost, RemoteError } from './rpc.js'

const PATIENCE_MS = 250 // a stopped step that has not answered by then costs the worker its life
const WATCHDOG_MS = 60_000 // Pyodide waits for ever when its wasm is blocked
const MOST_DEATHS = 4 // within a minute: another start will not mend it
const MINUTE_MS = 60_000
const ENDED = 'The checker ended unexpectedly; the browser may be short of memory.'

/** @typedef {{ script: Blob, wasm: Blob, stdlib: Blob, lock: string, micropip: { name: string, blob: Blob }, wheel: { name: string, blob: Blob }, version: string, bounds: Bounds }} Kept */

/**
 * @param {Kept} kept
 * @param {{ onBoot: (step: string) => void, onReady: (versions: Versions) => void, onFailed: (error: Error) => void, onRestart: (died: boolean) => Promise<void> }} hooks
 *   `onRestart` runs once a replacement is ready and loads the files into it again; `died` says that
 *   the worker before it ended by itself
 */
export function createEngine(kept, hooks) {
  /** @type {ReturnType<typeof createClient> | null} */
  let client = null
  /** @type {Worker | null} */
  let worker = null
  let watch = new AbortController()
  let booted = false
  /** @type {number[]} when workers ended by themselves */
  let deaths = []
  /** @type {Promise<void>} */
  let ready = start()

  async function start() {
    const address = URL.createObjectURL(kept.script)
    const current = new Worker(scriptAddress(address), { name: 'leakladder-python' })
    const end = createClient(current)
    const { signal } = watch
    worker = current
    client = end
    booted = false
    current.addEventListener('error', () => bury(end))
    try {
      const lifeline = nameLifeline()
      const held = await end.call('hold', lifeline)
      if (held && !signal.aborted) watchLifeline(lifeline, signal, () => bury(end))
      const versions = await watched(end, await copies(kept), hooks.onBoot)
      booted = true
      hooks.onReady(versions)
    } catch (error) {
      hooks.onFailed(/** @type {Error} */ (error))
      throw error
    } finally {
      URL.revokeObjectURL(address)
    }
  }

  /**
   * @param {Error} reason for whatever is still open
   * @param {boolean} died
   */
  function replace(reason, died) {
    watch.abort()
    watch = new AbortController()
    worker?.terminate()
    client?.close(reason)
    hooks.onBoot('starting again')
    ready = start().then(() => hooks.onRestart(died))
    ready.catch(() => {}) // told through onFailed
  }

  /**
   * A worker ended by itself, at rest or in the middle of something.
   *
   * @param {ReturnType<typeof createClient>} end
   */
  function bury(end) {
    if (client !== end) return
    const now = performance.now()
    deaths = [...deaths.filter((time) => now - time < MINUTE_MS), now]
    if (!booted)
      end.close(lost('Reload the page to try again.')) // start() tells
    else if (deaths.length < MOST_DEATHS)
      replace(lost('It is started again with your files.'), true)
    else giveUp(end)
  }

  /** @param {ReturnType<typeof createClient>} end */
  function giveUp(end) {
    const error = lost(
      `That was ${MOST_DEATHS} times within a minute; reload the page to try again.`,
    )
    watch.abort()
    client = null
    end.close(error)
    hooks.onFailed(error)
    ready = Promise.reject(error)
    ready.catch(() => {}) // told just now
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
    } catch (error) {
      if (isLost(error)) bury(end)
      throw error
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
      timer = setTimeout(() => client === end && replace(cancelled(), false), PATIENCE_MS)
    }
    signal.addEventListener('abort', abort, { once: true })
    return () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  ready.catch(() => {}) // told through onFailed
  return { call }
}

/** @param {string} what happens now */
function lost(what) {
  return new RemoteError({ code: 'worker-lost', message: `${ENDED} ${what}` })
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
