/**
 * What every start of Python needs, fetched at once and in parallel, and what makes a plain one
 * shorter, fetched on request.
 *
 * @import { Manifest } from './types.d.ts'
 * @import { createLoader } from './assets.js'
 */

import { pathOf } from './assets.js'

/** @typedef {ReturnType<typeof startLoading>} Parts */

/**
 * Everything at once; who needs a part waits for it.
 *
 * @param {Manifest} manifest
 * @param {ReturnType<typeof createLoader>} loader
 * @param {ReturnType<typeof createLoader>} aside of what nobody waits for
 */
export function startLoading(manifest, { load, loadCompiled }, aside) {
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
    bytecode: optional(manifest, aside, 'leakladder-bytecode.bin'),
  }
}

/**
 * A part that is fetched when somebody asks, behind all that is awaited; null where it cannot be had.
 *
 * @param {Manifest} manifest
 * @param {ReturnType<typeof createLoader>} loader
 * @param {string} name
 */
function optional(manifest, { load }, name) {
  const path = pathOf(manifest, name)
  /** @type {Promise<Uint8Array<ArrayBuffer> | null> | null} */
  let asked = null
  const ask = () => {
    asked ??= load(path, { priority: 'low' }).catch(() => null)
    return asked
  }
  return { path, ask, asked: async () => asked }
}
