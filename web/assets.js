/**
 * The build's own files, from the page's own origin, each checked against the manifest's SHA-256.
 *
 * Everything the worker needs is fetched here, at once and in parallel, before a person gives a
 * file; after that the page asks the network for nothing.
 *
 * @import { Manifest } from './types.d.ts'
 */

import { inlinedNodes, takeInlined } from './inlined.js'

const OTHER = 'is not the file this build was made with; reload the page'
const PATIENCE_MS = 45_000 // without a byte; then the download counts as stopped

/** A file of the build could not be had, or is not the one the build made. */
export class AssetError extends Error {
  /**
   * @param {string} path
   * @param {string} reason
   */
  constructor(path, reason) {
    super(`${path}: ${reason}`)
    this.name = 'AssetError'
    this.path = path
  }
}

/** @returns {Promise<Manifest>} */
export async function loadManifest() {
  const nodes = inlinedNodes('manifest.json')
  if (nodes.length) return JSON.parse(new TextDecoder().decode(await takeInlined(nodes)))
  const response = await fetchOwn('manifest.json')
  return response.json()
}

/**
 * @param {Manifest} manifest
 * @param {(done: number, total: number) => void} onProgress bytes of all the paths together
 */
export function createLoader(manifest, onProgress) {
  /** @type {Map<string, number>} bytes that are here, by path; a second try counts afresh */
  const here = new Map()

  /**
   * A file that comes damaged is asked for once more, past the browser's cache, which may be what
   * damaged it.
   *
   * @param {string} path a key of the manifest
   * @param {{ onResponse?: (response: Response) => void, signal?: AbortSignal, priority?: RequestPriority }} [more]
   *   told before each body is read
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   * @throws {AssetError}
   */
  async function load(path, more = {}) {
    const entry = manifest.files[path]
    if (!entry) throw new AssetError(path, 'is not part of this build')
    const inside = inlinedNodes(path).length > 0
    const bytes = await attempt(path, entry.bytes, { cache: 'default', ...more })
    if (await isSame(bytes, entry)) return bytes
    if (inside) throw new AssetError(path, 'is damaged in this saved copy; save it afresh')
    const again = await attempt(path, entry.bytes, { cache: 'reload', ...more })
    if (await isSame(again, entry)) return again
    const reason =
      again.length < entry.bytes
        ? `only ${again.length} of its ${entry.bytes} bytes came, twice; try again later`
        : OTHER
    throw new AssetError(path, reason)
  }

  /**
   * @param {string} path
   * @param {number} expected
   * @param {Ask} ask
   */
  function attempt(path, expected, ask) {
    here.set(path, 0)
    return bytesOf(path, expected, ask, (read) => {
      here.set(path, (here.get(path) ?? 0) + read)
      onProgress(sum(here.values()), sum([...here.keys()].map((key) => manifest.files[key].bytes)))
    })
  }

  /**
   * Load a WebAssembly file and compile it while it arrives, where it comes over the network with
   * its proper type. Nobody gets the module before the bytes are known to be the right ones.
   *
   * @param {string} path a key of the manifest
   * @param {{ signal?: AbortSignal }} [more]
   * @returns {{ bytes: Promise<Uint8Array<ArrayBuffer>>, module: Promise<WebAssembly.Module> }}
   */
  function loadCompiled(path, more) {
    /** @type {Promise<WebAssembly.Module | null>} */
    let early = Promise.resolve(null)
    const bytes = load(path, {
      ...more,
      onResponse: (response) => {
        early = WebAssembly.compileStreaming(response.clone()).catch(() => null)
      },
    })
    const module = bytes.then(async (checked) => (await early) ?? WebAssembly.compile(checked))
    return { bytes, module }
  }

  return { load, loadCompiled }
}

/** @typedef {{ cache: RequestCache, signal?: AbortSignal, priority?: RequestPriority, onResponse?: (response: Response) => void }} Ask */

/** @param {Iterable<number>} values */
function sum(values) {
  return [...values].reduce((all, each) => all + each, 0)
}

/**
 * The one path of the manifest with this file name; `*` stands for a version.
 *
 * @param {Manifest} manifest
 * @param {string} name such as `micropip-*.whl`
 */
export function pathOf(manifest, name) {
  const [head, tail = ''] = name.split('*')
  const path = Object.keys(manifest.files).find((key) => {
    const base = key.slice(key.lastIndexOf('/') + 1)
    return name.includes('*') ? base.startsWith(head) && base.endsWith(tail) : base === name
  })
  if (!path) throw new AssetError(name, 'is missing from the manifest')
  return path
}

/**
 * Where hosted page and saved copy differ: a file comes over the network, or stands in the page.
 *
 * @param {string} path
 * @param {number} expected bytes
 * @param {Ask} ask
 * @param {(read: number) => void} onRead
 */
async function bytesOf(path, expected, ask, onRead) {
  const nodes = inlinedNodes(path)
  if (!nodes.length) return fetchBytes(path, expected, ask, onRead)
  const bytes = await takeInlined(nodes)
  onRead(bytes.length)
  return bytes
}

/**
 * @param {string} path
 * @param {RequestInit} [init]
 */
async function fetchOwn(path, init) {
  let response
  try {
    response = await fetch(new URL(path, document.baseURI), init)
  } catch {
    throw new AssetError(path, 'could not be fetched; is the server still running?')
  }
  if (!response.ok) throw new AssetError(path, `the server answered ${response.status}`)
  return response
}

/**
 * @param {string} path
 * @param {number} expected bytes
 * @param {Ask} ask
 * @param {(read: number) => void} onRead
 */
async function fetchBytes(path, expected, { cache, signal, priority, onResponse }, onRead) {
  const stall = new AbortController()
  let timer = setTimeout(() => stall.abort(), PATIENCE_MS)
  const signals = signal ? [signal, stall.signal] : [stall.signal]
  const bytes = new Uint8Array(expected)
  let at = 0
  try {
    const response = await fetchOwn(path, { cache, priority, signal: AbortSignal.any(signals) })
    onResponse?.(response)
    const { body } = response
    for (const reader = body?.getReader(); reader; ) {
      const { done, value } = await reader.read()
      if (done) break
      if (at + value.length > expected) throw new AssetError(path, OTHER)
      clearTimeout(timer)
      timer = setTimeout(() => stall.abort(), PATIENCE_MS)
      bytes.set(value, at)
      at += value.length
      onRead(value.length)
    }
  } catch (error) {
    if (error instanceof AssetError && !stall.signal.aborted) throw error
    throw new AssetError(path, `stopped coming after ${at} of ${expected} bytes; try again`)
  } finally {
    clearTimeout(timer)
  }
  return bytes.subarray(0, at)
}

/**
 * On plain http from another machine the browser offers no hash; there the length has to do.
 *
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {{ bytes: number, sha256: string }} entry
 */
async function isSame(bytes, entry) {
  if (!crypto.subtle) return bytes.length === entry.bytes
  return (await sha256(bytes)) === entry.sha256
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
export async function sha256(bytes) {
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
