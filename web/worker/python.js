/**
 * The interpreter. The only file that knows Pyodide; only text and bytes leave it.
 *
 * @import { BootAssets } from '../types.d.ts'
 */

import { loadPyodide } from 'pyodide'
import createPyodideModule from 'pyodide/pyodide.asm.mjs'
import { BASE_URL, forgetAll, provide } from './seal.js'

const INSTALL = `
async def install(path, version):
    import micropip
    await micropip.install(path, deps=False)
    import leakladder
    if leakladder.__version__ != version:
        raise RuntimeError(f"the page expects leakladder {version}, the wheel is {leakladder.__version__}")
install
`

/** Code of the errors after which this worker is of no use. */
export const LOST = 'worker-lost'

/** The interpreter itself broke off: its memory could not grow, or its stack ran over. */
export class BrokenPython extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    const message =
      'The checker broke off, probably for want of memory; it is started again with your files.'
    super(message)
    this.wire = { code: LOST, message, details: String(cause) }
  }
}

/** @typedef {{ call(method: string, params: string): string, start(method: string, params: string, data?: Uint8Array, decoded?: string): void, step(budget: number): string, abandon(): void, exported(params: string): Uint8Array }} Bridge */

/**
 * Start Python and install the wheel from the bytes given.
 *
 * @param {BootAssets} assets
 * @param {(phase: string) => void} onPhase named for people, "... while {phase}"
 * @returns {Promise<Bridge>}
 */
export async function startPython(assets, onPhase) {
  onPhase('starting Python')
  provide('pyodide.asm.wasm', assets.wasm, 'application/wasm')
  const stdLibURL = provide('python_stdlib.zip', assets.stdlib, 'application/zip')
  const pyodide = await loadPyodide({
    indexURL: BASE_URL,
    packageBaseUrl: BASE_URL,
    stdLibURL,
    lockFileContents: JSON.parse(assets.lock),
    createPyodideModule: /** @type {any} */ (createPyodideModule),
  })
  forgetAll()

  onPhase('installing the checks')
  pyodide.unpackArchive(assets.micropip.bytes, 'wheel')
  const path = `/tmp/${assets.wheel.name}`
  pyodide.FS.writeFile(path, new Uint8Array(assets.wheel.bytes))
  const install = pyodide.runPython(INSTALL)
  await install(`emfs:${path}`, assets.version)
  install.destroy()
  pyodide.FS.unlink(path)

  return openBridge(pyodide)
}

/**
 * @param {Awaited<ReturnType<typeof loadPyodide>>} pyodide
 * @returns {Bridge}
 */
function openBridge(pyodide) {
  const bridge = pyodide.pyimport('leakladder.bridge') // kept for the worker's life
  return {
    call: (method, params) => ask(() => bridge.call(method, params)),
    start: (method, params, data, decoded) =>
      ask(() => bridge.start(method, params, data, decoded)),
    step: (budget) => ask(() => bridge.step(budget)),
    abandon: () => ask(() => bridge.abandon()),
    exported: (params) => ask(() => bytesOf(bridge.export(params))),
  }
}

/**
 * What Python raises arrives as a PythonError; anything else is the interpreter's own end, and after
 * a MemoryError it has all the memory it will ever get.
 *
 * @template T
 * @param {() => T} question
 */
function ask(question) {
  try {
    return question()
  } catch (error) {
    const { name, type } = /** @type {{ name?: string, type?: string }} */ (Object(error))
    if (name === 'PythonError' && type !== 'MemoryError') throw error
    throw new BrokenPython(error)
  }
}

/**
 * A copy of a Python bytes object, whose proxy is given back.
 *
 * @param {any} proxy
 * @returns {Uint8Array}
 */
function bytesOf(proxy) {
  const view = proxy.getBuffer('u8')
  try {
    return view.data.slice()
  } finally {
    view.release()
    proxy.destroy()
  }
}
