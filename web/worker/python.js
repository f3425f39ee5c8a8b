/**
 * The interpreter. The only file that knows Pyodide; only text and bytes leave it.
 *
 * It starts in one of two ways: plainly, or from a picture of the memory of an interpreter that had
 * just imported the package. The picture is taken by an interpreter of its own, before any data.
 *
 * @import { BootAssets } from '../types.d.ts'
 */

import { loadPyodide } from 'pyodide'
import createPyodideModule from 'pyodide/pyodide.asm.mjs'
import { pack, unpack } from './pages.js'
import { BASE_URL, forgetAll, provide } from './seal.js'

const INSTALL = `
async def install(path):
    import micropip
    await micropip.install(path, deps=False)
install
`
const BRIDGE = 'leakladder.bridge'

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
/** @typedef {Awaited<ReturnType<typeof loadPyodide>>} Pyodide */
/** @typedef {() => Promise<ArrayBuffer | null>} BytecodeSoFar null where none has come */

/**
 * Start Python with the package in it, from the bytes given.
 *
 * @param {BootAssets} assets
 * @param {Promise<WebAssembly.Module>} wasm
 * @param {BytecodeSoFar} bytecode
 * @param {(phase: string) => void} onPhase named for people, "... while {phase}"
 * @returns {Promise<Bridge>}
 */
export async function startPython(assets, wasm, bytecode, onPhase) {
  onPhase('starting Python')
  const picture = assets.snapshot && unpack(assets.snapshot)
  const options = picture ? { _loadSnapshot: Promise.resolve(picture) } : {}
  const pyodide = await load(assets, wasm, options)
  if (!picture) {
    onPhase('installing the checks')
    await addBytecode(pyodide, await bytecode())
    await install(pyodide, assets)
  }
  const found = pyodide.runPython('import leakladder; leakladder.__version__')
  if (found !== assets.version) {
    throw new Error(`the page expects leakladder ${assets.version}, the wheel is ${found}`)
  }
  return openBridge(pyodide)
}

/**
 * Take the picture: a fresh interpreter that has imported the package and has seen no data. The
 * wheel is unpacked, not installed, since Pyodide cannot save an interpreter that holds micropip.
 *
 * @param {BootAssets} assets
 * @param {Promise<WebAssembly.Module>} wasm
 * @param {BytecodeSoFar} bytecode
 * @returns {Promise<Uint8Array<ArrayBuffer>>} packed
 * @throws {Error} if the memory has grown: Pyodide restores none but that of its first size
 */
export async function takeSnapshot(assets, wasm, bytecode) {
  const pyodide = await load(assets, wasm, { _makeSnapshot: true })
  const size = memoryOf(pyodide)
  unpackBeside(pyodide, assets.wheel.bytes, 'wheel')
  await addBytecode(pyodide, await bytecode())
  pyodide.runPython(`import gc, ${BRIDGE}; gc.collect()`)
  if (memoryOf(pyodide) !== size) throw new Error('the memory has grown')
  return pack(pyodide.makeMemorySnapshot())
}

/**
 * @param {BootAssets} assets
 * @param {Promise<WebAssembly.Module>} wasm
 * @param {object} options of Pyodide for snapshots
 */
async function load(assets, wasm, options) {
  useCompiled(wasm)
  provide('pyodide.asm.wasm', new Uint8Array(), 'application/wasm')
  const stdLibURL = provide('python_stdlib.zip', assets.stdlib, 'application/zip')
  const pyodide = await loadPyodide({
    indexURL: BASE_URL,
    packageBaseUrl: BASE_URL,
    stdLibURL,
    lockFileContents: JSON.parse(assets.lock),
    createPyodideModule: /** @type {any} */ (createPyodideModule),
    ...options,
  })
  forgetAll()
  return pyodide
}

/**
 * The page compiles the interpreter while it arrives, once for all workers. Pyodide has no option
 * for that: it fetches the binary and has it compiled, so the compiling is what stands in.
 *
 * @param {Promise<WebAssembly.Module>} compiled
 */
function useCompiled(compiled) {
  WebAssembly.instantiateStreaming = async (_, imports) => {
    const module = await compiled
    return { module, instance: await WebAssembly.instantiate(module, imports) }
  }
}

/**
 * @param {Pyodide} pyodide
 * @param {BootAssets} assets
 */
async function install(pyodide, { micropip, wheel }) {
  pyodide.unpackArchive(micropip.bytes, 'wheel')
  const path = `/tmp/${wheel.name}`
  pyodide.FS.writeFile(path, new Uint8Array(wheel.bytes))
  const run = pyodide.runPython(INSTALL)
  await run(`emfs:${path}`)
  run.destroy()
  pyodide.FS.unlink(path)
}

/**
 * Spare the imports their compiling. The build made the bytecode of these very sources, and an
 * import holds each against its source: what does not fit is left unused.
 *
 * @param {Pyodide} pyodide
 * @param {ArrayBuffer | null} packed
 */
async function addBytecode(pyodide, packed) {
  if (!packed) return
  const { body } = new Response(packed) // WebKit reads no Blob in a worker of a page from a folder
  const stream = body?.pipeThrough(new DecompressionStream('gzip'))
  unpackBeside(pyodide, await new Response(stream).arrayBuffer(), 'zip')
}

/**
 * @param {Pyodide} pyodide
 * @param {ArrayBuffer} bytes
 * @param {'wheel' | 'zip'} format
 */
function unpackBeside(pyodide, bytes, format) {
  const extractDir = pyodide.runPython('import sysconfig; sysconfig.get_path("purelib")')
  pyodide.unpackArchive(bytes, format, { extractDir })
}

/** @param {Pyodide} pyodide */
function memoryOf(pyodide) {
  return /** @type {any} */ (pyodide)._module.HEAPU8.length
}

/**
 * @param {Pyodide} pyodide
 * @returns {Bridge}
 */
function openBridge(pyodide) {
  const bridge = pyodide.pyimport(BRIDGE) // kept for the worker's life
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
