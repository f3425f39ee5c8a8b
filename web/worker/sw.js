/**
 * Service worker: keeps one build of the page for use without its server.
 *
 * One cache per build, named after it; a body is kept only when its SHA-256 is the one that the build
 * put in here, so files of two builds never mix. The core is kept at install, all of it or nothing;
 * the model's files after their first use or when the page asks. A newer build waits until a person
 * says so in the page.
 *
 * It sees requests for the build's own files and nothing else, and can make no other.
 */

import { DOORS, lock } from './doors.js'

const { build, files } = __BUILD__
const MANIFEST = 'manifest.json'
const PAGE = 'index.html'
const KEPT_HEADERS = [
  'content-type',
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-embedder-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'x-content-type-options',
]

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self))
const scope = new URL(worker.registration.scope)
const prefix = `leakladder ${scope.pathname} `
const listed = new Map(Object.entries(files))
const ownFetch = self.fetch.bind(self)

lock('fetch', onlyOwn)
for (const name of DOORS) if (name !== 'caches' && name in self) lock(name, undefined)

worker.addEventListener('install', (event) => event.waitUntil(install()))
worker.addEventListener('activate', (event) => event.waitUntil(activate()))
worker.addEventListener('message', (event) => {
  const [port] = event.ports
  if (event.data === 'activate') void worker.skipWaiting()
  else if (event.data === 'keep-model' && port) event.waitUntil(keepModel(port))
})
worker.addEventListener('fetch', (event) => {
  const path = pathOf(event.request)
  if (path !== null) event.respondWith(answer(event, path))
  else if (isLost(event.request)) event.respondWith(leadHome(event.request))
})

/**
 * @param {RequestInfo | URL} input
 * @param {RequestInit} [init]
 */
async function onlyOwn(input, init) {
  const request = new Request(input, init)
  if (!request.url.startsWith(scope.href))
    throw new TypeError('only files of this page are fetched')
  return ownFetch(request)
}

// ---------------------------------------------------------------- keeping

async function install() {
  const cache = await caches.open(prefix + build)
  try {
    await Promise.all(group('core').map((path) => keep(cache, path)))
    await keepManifest(cache)
    await Promise.all(group('model').map((path) => carryOver(cache, path)))
  } catch (error) {
    await caches.delete(prefix + build)
    throw error
  }
}

async function activate() {
  for (const name of await caches.keys()) {
    if (name.startsWith(prefix) && name !== prefix + build) await caches.delete(name)
  }
  await worker.clients.claim()
}

/** @param {'core' | 'model'} name */
function group(name) {
  return [...listed].filter(([, entry]) => entry.group === name).map(([path]) => path)
}

/**
 * @param {Cache} cache
 * @param {string} path
 */
async function keep(cache, path) {
  if (await carryOver(cache, path)) return
  for (const mode of /** @type {RequestCache[]} */ (['default', 'reload'])) {
    const response = await ownFetch(address(path), { cache: mode })
    if (await put(cache, path, response)) return
  }
  throw new Error(`${path} is not the file of build ${build}`)
}

/**
 * Take a file from a cache of ours, of this build or an older one, if it is the same file.
 *
 * @param {Cache} cache
 * @param {string} path
 */
async function carryOver(cache, path) {
  for (const name of await caches.keys()) {
    if (!name.startsWith(prefix)) continue
    const response = await (await caches.open(name)).match(address(path))
    if (response && (await put(cache, path, response))) return true
  }
  return false
}

/**
 * The list that the page reads names this worker's own hash, so it is checked by what it says.
 *
 * @param {Cache} cache
 */
async function keepManifest(cache) {
  const response = await ownFetch(address(MANIFEST), { cache: 'reload' })
  const text = await response.text()
  const manifest = JSON.parse(text)
  const same = [...listed].every(([path, { sha256 }]) => manifest.files[path]?.sha256 === sha256)
  if (manifest.build !== build || !same) throw new Error('the manifest is of another build')
  await cache.put(address(MANIFEST), new Response(text, { headers: headersOf(response) }))
}

/**
 * @param {Cache} cache
 * @param {string} path
 * @param {Response} response
 * @returns {Promise<boolean>} whether it was the right file and is kept now
 */
async function put(cache, path, response) {
  if (response.status !== 200) return false
  const bytes = await response.arrayBuffer()
  if ((await sha256(bytes)) !== listed.get(path)?.sha256) return false
  await cache.put(address(path), new Response(bytes, { headers: headersOf(response) }))
  return true
}

/** @param {Response} response */
function headersOf({ headers }) {
  return KEPT_HEADERS.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [/** @type {[string, string]} */ ([name, value])]
  })
}

/**
 * @param {MessagePort} port told `{ done, total }` in bytes, at the end `{ kept }` or `{ error }`
 */
async function keepModel(port) {
  const paths = group('model')
  const total = paths.reduce((sum, path) => sum + (listed.get(path)?.bytes ?? 0), 0)
  let done = 0
  try {
    const cache = await caches.open(prefix + build)
    for (const path of paths) {
      await keep(cache, path)
      done += listed.get(path)?.bytes ?? 0
      port.postMessage({ done, total })
    }
    port.postMessage({ kept: true })
  } catch (error) {
    port.postMessage({ error: error instanceof Error ? error.message : String(error) })
  }
}

// ---------------------------------------------------------------- answering

/**
 * @param {Request} request
 * @returns {string | null} path of the build, or null where it is no business of ours
 */
function pathOf({ method, url }) {
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== scope.origin || !pathname.startsWith(scope.pathname))
    return null
  const path = pathname.slice(scope.pathname.length) || PAGE
  return listed.has(path) || path === MANIFEST ? path : null
}

/**
 * @param {FetchEvent} event
 * @param {string} path
 */
async function answer(event, path) {
  const cache = await caches.open(prefix + build).catch(() => null) // full or blocked by now
  const kept = await cache?.match(address(path)).catch(() => undefined)
  if (kept) return kept
  const response = await ownFetch(event.request)
  if (cache && listed.has(path)) event.waitUntil(put(cache, path, response.clone()))
  return response
}

/** @param {Request} request */
function isLost({ mode, url }) {
  return mode === 'navigate' && url.startsWith(scope.href)
}

/**
 * A page of this folder that the build does not keep: from its server, or else home.
 *
 * @param {Request} request
 */
async function leadHome(request) {
  try {
    return await ownFetch(request)
  } catch {
    return Response.redirect(scope.href)
  }
}

/** @param {string} path */
function address(path) {
  return new URL(path, scope).href
}

/** @param {ArrayBuffer} bytes */
async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
