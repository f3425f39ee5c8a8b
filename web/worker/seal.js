/**
 * Close the worker's scope before anything else in the bundle runs: imported first.
 *
 * The content security policy, inherited from the page because the worker starts from a blob, already
 * refuses other origins. This takes the doors away as well: after it, `fetch` answers from bytes the
 * page has posted and nothing else can ask the network for anything.
 */

import { DOORS, lock } from './doors.js'

const BASE = 'https://inline.invalid/'

/** @type {Map<string, { bytes: BufferSource, type: string }>} */
const files = new Map()

/**
 * @param {string} name
 * @param {BufferSource} bytes
 * @param {string} type
 * @returns {string} the address under which `fetch` answers with them
 */
export function provide(name, bytes, type) {
  files.set(BASE + name, { bytes, type })
  return BASE + name
}

/** Forget what was provided; Python has its own copy by then. */
export function forgetAll() {
  files.clear()
}

/** Folder of everything that was provided. */
export const BASE_URL = BASE

/** @param {RequestInfo | URL} input */
async function answer(input) {
  const address = input instanceof Request ? input.url : String(input)
  const file = files.get(address)
  if (!file) throw new TypeError(`nothing is fetched in this worker: ${address}`)
  return new Response(file.bytes, { headers: { 'Content-Type': file.type } })
}

function refuseImport() {
  throw new TypeError('nothing is imported in this worker') // also how Pyodide learns what it runs in
}

lock('fetch', answer)
lock('importScripts', refuseImport)
for (const name of DOORS) if (name in self) lock(name, undefined)
