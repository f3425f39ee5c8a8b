/**
 * The picture of Python's memory that makes later starts short, kept beside the build's files.
 *
 * It lies in the cache of its build, so a newer build or "Delete what is kept" takes it away; it is
 * used only if its SHA-256 is the one noted when it was kept, by the same browser version, since
 * what a browser can do is part of the memory. It is taken of an interpreter that never saw a file.
 * Nothing depends on it: whatever fails here, Python starts without it.
 *
 * @import { Snapshots } from './types.d.ts'
 */

import { sha256 } from './assets.js'
import { cacheName } from './keeper.js'

const NAME = 'python.snapshot'

/** A saved copy keeps nothing. @type {Snapshots} */
export const NO_SNAPSHOTS = {
  read: async () => null,
  isWanted: async () => false,
  keep: async () => {},
  refuse: async () => {},
}

/**
 * @param {string} build
 * @returns {Snapshots}
 */
export function createSnapshots(build) {
  const address = new URL(NAME, document.baseURI).href
  const browser = encodeURIComponent(navigator.userAgent)

  async function found() {
    const name = cacheName(build)
    if (!(await caches.has(name))) return null
    const cache = await caches.open(name)
    return { cache, response: await cache.match(address) }
  }

  /** @returns {Promise<ArrayBuffer | null>} null where there is none that may be used */
  async function read() {
    try {
      const { cache, response } = (await found()) ?? {}
      if (!cache || !response) return null
      const { headers } = response
      const bytes = new Uint8Array(await response.arrayBuffer())
      const same = headers.get('x-sha256') === (await sha256(bytes))
      if (!same || headers.get('x-browser') !== browser) {
        await cache.delete(address)
        return null
      }
      return bytes.length ? bytes.buffer : null
    } catch {
      return null // storage that is blocked or broken: the plain start needs none
    }
  }

  /**
   * @param {Uint8Array<ArrayBuffer>} bytes
   * @throws {Error} where the page was deleted meanwhile, or storage is full or blocked
   */
  async function keep(bytes) {
    const place = await found()
    if (!place) throw new Error('the page is not kept any more')
    const headers = { 'x-sha256': await sha256(bytes), 'x-browser': browser }
    await place.cache.put(address, new Response(bytes, { headers }))
  }

  return {
    read,
    keep,
    isWanted: async () => {
      const place = await found()
      return place !== null && place.response === undefined
    },
    refuse: () => keep(new Uint8Array()).catch(() => {}), // the next start fails the same way, and goes on
  }
}
