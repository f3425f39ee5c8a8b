/**
 * How Python comes into the page: the worker as soon as its script is there, the rest as `parts.js`
 * fetches it, and, after the first visit, a picture of its memory for the next one.
 *
 * Marks for whoever measures: `leakladder-ready` says in its detail how Python was started,
 * `leakladder-snapshot` that the picture is kept, or why not.
 *
 * @import { Manifest, Snapshots } from './types.d.ts'
 * @import { Actions, Store } from './controller.js'
 * @import { Parts } from './parts.js'
 */

import { createEngine } from './engine.js'
import { whenQuiet } from './quiet.js'
import { asWire } from './rpc.js'

/** @typedef {ReturnType<typeof createEngine>} Engine */
/** @typedef {{ store: Store, act: Actions }} Desk */

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
    { script, wasm: parts.wasm.module, kept, bytecode: parts.bytecode.ask, snapshots },
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
 * What every worker is started with, but for the interpreter.
 *
 * @param {Parts} parts
 */
async function gather({ stdlib, lock, micropip, wheel }) {
  return {
    stdlib: await stdlib.bytes,
    lock: new TextDecoder().decode(await lock.bytes),
    micropip: { name: micropip.name, bytes: await micropip.bytes },
    wheel: { name: wheel.name, bytes: await wheel.bytes },
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
