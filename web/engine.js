/**
 * The Python worker's life: started from a blob, watched, stopped and replaced.
 *
 * The worker's script comes in as text and starts from a blob, so that the worker inherits the
 * page's content security policy. The build's bytes are kept, so a new worker needs no network. It
 * starts from a picture of Python's memory where there is one, and plainly where that fails.
 *
 * @import { BootAssets, Bounds, Progress, Snapshots, Versions } from './types.d.ts'
 */

import { watchWorker } from './lib/lifeline.js'
import { scriptAddress } from './lib/trusted.js'
import { cancelled, createClient, isCancelled, isLost, RemoteError } from './rpc.js'

const PATIENCE_MS = 250 // a stopped step that has not answered by then costs the worker its life
const WATCHDOG_MS = 180_000 // Pyodide may wait for ever; WebKit on a busy machine took over a minute
const SNAPSHOT_WATCHDOG_MS = 20_000 // the plain way is still left then
const MOST_DEATHS = 4 // within a minute: another start will not mend it
const MINUTE_MS = 60_000
const ENDED = 'The checker ended unexpectedly; the browser may be short of memory.'

/** @typedef {{ name: string, bytes: Uint8Array<ArrayBuffer> }} Wheel */
/** @typedef {() => Promise<Uint8Array<ArrayBuffer> | null>} AskBytecode null where it cannot be had */
/** @typedef {{ stdlib: Uint8Array<ArrayBuffer>, lock: string, micropip: Wheel, wheel: Wheel, version: string, bounds: Bounds }} Kept */
/** @typedef {'snapshot' | 'plain'} Way how Python was started */
/** @typedef {{ worker: Worker, end: ReturnType<typeof createClient>, stop: (reason: Error) => void }} Running */

/**
 * @param {{ script: Promise<Blob>, wasm: Promise<WebAssembly.Module>, kept: Promise<Kept>, bytecode: AskBytecode, snapshots: Snapshots }} parts
 *   a worker reads its script while the rest still arrives, and gets ready while the interpreter
 *   does; bytecode that comes too late for a start is not waited for
 * @param {{ onBoot: (step: string) => void, onReady: (versions: Versions, way: Way) => void, onFailed: (error: Error) => void, onRestart: (died: boolean) => Promise<void> }} hooks
 *   `onRestart` runs once a replacement is ready and loads the files into it again; `died` says that
 *   the worker before it ended by itself
 */
export function createEngine({ script, wasm, kept, bytecode, snapshots }, hooks) {
  /** @type {Running | null} */
  let running = null
  let booted = false
  /** @type {number[]} when workers ended by themselves */
  let deaths = []
  /** @type {Promise<void>} */
  let ready = start()

  async function start() {
    booted = false
    try {
      const picture = snapshots.read()
      running = await open()
      const snapshot = await picture
      if (!snapshot || !(await startFrom(running, snapshot))) {
        hooks.onReady(await boot(running, null), 'plain')
      }
      booted = true
    } catch (error) {
      hooks.onFailed(/** @type {Error} */ (error))
      throw error
    }
  }

  /**
   * @param {Running} first
   * @param {ArrayBuffer} snapshot
   * @returns {Promise<boolean>} false where the plain way is left, in a new worker
   */
  async function startFrom(first, snapshot) {
    try {
      hooks.onReady(await boot(first, snapshot), 'snapshot')
      return true
    } catch (error) {
      if (isCancelled(error)) throw error
      first.stop(/** @type {Error} */ (error))
      await snapshots.refuse()
      running = await open()
      return false
    }
  }

  /** @returns {Promise<Running>} */
  async function open() {
    const address = URL.createObjectURL(await script)
    const worker = new Worker(scriptAddress(address), { name: 'leakladder-python' })
    const end = createClient(worker)
    const watch = new AbortController()
    /** @param {Error} reason */
    const stop = (reason) => {
      watch.abort()
      worker.terminate()
      end.close(reason)
      URL.revokeObjectURL(address)
    }
    const current = { worker, end, stop }
    worker.addEventListener('error', () => bury(current))
    watchWorker(end, watch.signal, () => bury(current)).catch(() => {}) // told to what is asked next
    return current
  }

  /**
   * A worker ended by itself, at rest or in the middle of something.
   *
   * @param {Running} gone
   */
  function bury(gone) {
    if (running !== gone || !booted) return gone.stop(lost('Reload the page to try again.'))
    const now = performance.now()
    deaths = [...deaths.filter((time) => now - time < MINUTE_MS), now]
    if (deaths.length < MOST_DEATHS) replace(lost('It is started again with your files.'), true)
    else giveUp(gone)
  }

  /** @param {Running} gone */
  function giveUp(gone) {
    const error = lost(
      `That was ${MOST_DEATHS} times within a minute; reload the page to try again.`,
    )
    running = null
    gone.stop(error)
    hooks.onFailed(error)
    ready = Promise.reject(error)
    ready.catch(() => {}) // told just now
  }

  /**
   * @param {Running} current
   * @param {ArrayBuffer | null} snapshot
   */
  async function boot({ end }, snapshot) {
    const patience = snapshot ? SNAPSHOT_WATCHDOG_MS : WATCHDOG_MS
    if (!snapshot) void handBytecode(end, bytecode)
    const assets = { ...copies(await kept), snapshot }
    const watch = { wasm, onStep: hooks.onBoot, patience }
    return /** @type {Versions} */ (await watched(end, 'boot', assets, watch))
  }

  /**
   * @param {Error} reason for whatever is still open
   * @param {boolean} died
   */
  function replace(reason, died) {
    running?.stop(reason)
    running = null
    hooks.onBoot('starting again')
    ready = start().then(() => hooks.onRestart(died))
    ready.catch(() => {}) // told through onFailed
  }

  /**
   * @param {string} method
   * @param {unknown} params
   * @param {{ data?: Uint8Array, signal?: AbortSignal, onProgress?: (progress: Progress) => void, early?: boolean, patient?: boolean }} [options]
   *   `early` does not wait for the files of a restarted worker; `patient` leaves a worker its life
   *   that takes long to stop
   */
  async function call(method, params, { early = false, patient = false, ...options } = {}) {
    if (!early) await ready
    const asked = running
    if (!asked) throw new Error('there is no worker')
    const { end } = asked
    const stop = options.signal && !patient ? giveUpAfter(options.signal, end) : null
    try {
      return await end.call(method, params, options)
    } catch (error) {
      if (isLost(error) && running === asked) bury(asked)
      throw error
    } finally {
      stop?.()
    }
  }

  /**
   * @param {AbortSignal} signal
   * @param {Running['end']} end
   */
  function giveUpAfter(signal, end) {
    let timer = 0
    const abort = () => {
      timer = setTimeout(() => running?.end === end && replace(cancelled(), false), PATIENCE_MS)
    }
    signal.addEventListener('abort', abort, { once: true })
    return () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  /**
   * Take the picture for later starts, in a worker of its own that sees no file.
   *
   * @param {AbortSignal} signal
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   */
  async function takeSnapshot(signal) {
    const assets = { ...copies(await kept), snapshot: null }
    const { end, stop } = await open()
    void handBytecode(end, bytecode)
    const abort = () => stop(cancelled())
    signal.addEventListener('abort', abort, { once: true })
    try {
      signal.throwIfAborted()
      const watch = { wasm, onStep: () => {}, patience: WATCHDOG_MS }
      const taken = await watched(end, 'snapshot', assets, watch)
      return /** @type {Uint8Array<ArrayBuffer>} */ (taken)
    } finally {
      signal.removeEventListener('abort', abort)
      abort()
    }
  }

  ready.catch(() => {}) // told through onFailed
  return {
    call,
    takeSnapshot,
    isBusy: () => running !== null && running.end.size() > 0,
    whenReady: () => ready,
  }
}

/** @param {string} what happens now */
function lost(what) {
  return new RemoteError({ code: 'worker-lost', message: `${ENDED} ${what}` })
}

/**
 * Copies that go over to a worker.
 *
 * @param {Kept} kept
 * @returns {Omit<BootAssets, 'snapshot'>}
 */
function copies({ stdlib, micropip, wheel, ...rest }) {
  return {
    ...rest,
    stdlib: stdlib.slice().buffer,
    micropip: { name: micropip.name, bytes: micropip.bytes.slice().buffer },
    wheel: { name: wheel.name, bytes: wheel.bytes.slice().buffer },
  }
}

/**
 * @param {Running['end']} end
 * @param {AskBytecode} ask
 */
async function handBytecode(end, ask) {
  const bytes = await ask()
  if (!bytes) return
  const { buffer } = bytes.slice()
  await end.call('bytecode', buffer, { transfer: [buffer] }).catch(() => {}) // the worker is gone
}

/**
 * @param {Running['end']} end
 * @param {'boot' | 'snapshot'} method
 * @param {BootAssets} assets
 * @param {{ wasm: Promise<WebAssembly.Module>, onStep: (step: string) => void, patience: number }} watch
 *   milliseconds, from when the interpreter is there: a slow network may take its time
 */
async function watched(end, method, assets, { wasm, onStep, patience }) {
  let step = 'starting the worker'
  let timer = 0
  let over = false
  const giveUp = () => {
    const seconds = patience / 1000
    end.close(new Error(`Python did not start in ${seconds} seconds; it stopped while ${step}.`))
  }
  const hand = async () => {
    const interpreter = await wasm
    if (over) return
    timer = setTimeout(giveUp, patience)
    await end.call('interpreter', interpreter)
  }
  const { stdlib, micropip, wheel, snapshot } = assets
  const transfer = [stdlib, micropip.bytes, wheel.bytes, ...(snapshot ? [snapshot] : [])]
  try {
    const [answer] = await Promise.all([
      end.call(method, assets, {
        transfer,
        onProgress: ({ phase }) => {
          step = phase
          onStep(phase)
        },
      }),
      hand(),
    ])
    return answer
  } finally {
    over = true
    clearTimeout(timer)
  }
}
