/**
 * What every start of Python needs, fetched at once and in parallel.
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
