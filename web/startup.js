/**
 * How Python comes into the page: the build's files at once and in parallel, the worker as soon as
 * its script is there, and, after the first visit, a picture of its memory for the next one.
 *
 * Marks for whoever measures: `leakladder-ready` says in its detail how Python was started,
 * `leakladder-snapshot` that the picture is kept, or why not.
 *
 * @import { Manifest, Snapshots } from './types.d.ts'
 * @import { createLoader } from './assets.js'
 * @import { Actions, Store } from './controller.js'
 */

import { pathOf } from './assets.js'
import { createEngine } from './engine.js'
import { whenQuiet } from './quiet.js'
import { asWire } from './rpc.js'

/** @typedef {ReturnType<typeof startLoading>} Parts */
/** @typedef {ReturnType<typeof createEngine>} Engine */
/** @typedef {{ store: Store, act: Actions }} Desk */

/**
 * Everything at once; who needs a part waits for it.
 *
 * @param {Manifest} manifest
 * @param {ReturnType<typeof createLoader>} loader
 */
export function startLoading(manifest, { load, loadCompiled }) {
  /** @param {string} name */
  const part = (name) => {
    const path = pathOf(manifest, name)
    const bytes = load(path)
    bytes.catch(() => {}) // told where it is awaited
    return { path, name: path.slice(path.lastIndexOf('/') + 1), bytes }
  }
  const wasm = pathOf(manifest, 'pyodide.asm.wasm')
  return {
    script: part('worker.js'),
    wasm: { path: wasm, ...loadCompiled(wasm) },
    stdlib: part('python_stdlib.zip'),
    lock: part('pyodide-lock.json'),
    wheel: part('leakladder-*.whl'),
    micropip: part('micropip-*.whl'),
    examples: part('examples.json'),
  }
}

/**
 * @param {Manifest} manifest
 * @param {Parts} parts
 * @param {Snapshots} snapshots
 * @param {Desk} desk
 */
export function startEngine({ version, bounds }, parts, snapshots, { store, act }) {
  const script = parts.script.bytes.then((bytes) => new Blob([bytes], { type: 'text/javascript' }))
  const kept = gather(parts).then((gathered) => ({ ...gathered, version, bounds }))
  kept.catch(() => {}) // told where it is awaited
  return createEngine(
    { script, kept, snapshots },
    {
      onBoot: (step) =>
        store.dispatch({ type: 'boot-progress', status: 'starting', step, done: 0, total: 0 }),
      onReady: (versions, way) => {
        store.dispatch({ type: 'boot-ready', versions })
        performance.mark('leakladder-ready', { detail: way })
        act.settle()
      },
      onFailed: (error) => store.dispatch({ type: 'boot-failed', error: asWire(error) }),
      onRestart: act.refill,
    },
  )
}

/**
 * What every worker is started with.
 *
 * @param {Parts} parts
 */
async function gather({ wasm, stdlib, lock, micropip, wheel }) {
  /** @param {{ name: string, bytes: Promise<Uint8Array<ArrayBuffer>> }} part */
  const wrapped = async ({ name, bytes }) => ({ name, blob: new Blob([await bytes]) })
  return {
    wasm: await wasm.module,
    stdlib: (await wrapped(stdlib)).blob,
    lock: new TextDecoder().decode(await lock.bytes),
    micropip: await wrapped(micropip),
    wheel: await wrapped(wheel),
  }
}

/**
 * Put a picture of Python's memory beside the kept page, while nobody wants anything.
 *
 * @param {Engine} engine
 * @param {Snapshots} snapshots
 * @param {Store} store
 */
export async function keepSnapshot(engine, snapshots, store) {
  const isBusy = () => engine.isBusy() || store.get().meaning.status === 'running'
  /** @param {AbortSignal} signal */
  const take = async (signal) => snapshots.keep(await engine.takeSnapshot(signal))
  try {
    if (!(await snapshots.isWanted())) return
    await whenQuiet(isBusy, take)
    performance.mark('leakladder-snapshot', { detail: 'kept' })
  } catch (error) {
    performance.mark('leakladder-snapshot', { detail: String(error) }) // later starts are plain
  }
}
