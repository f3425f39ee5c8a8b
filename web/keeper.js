/**
 * The page kept by the browser: registers the service worker, says what is kept, and forgets it.
 *
 * Everything works without it: private windows, files opened from a folder and plain http have none.
 *
 * @import { Manifest, SavedState } from './types.d.ts'
 */

import { scriptAddress } from './lib/trusted.js'
import { MODEL_FILES } from './meaning-pool.js'

/** A browser may refuse even to name a storage that is blocked. */
function hasStorage() {
  try {
    return Boolean(globalThis.caches)
  } catch {
    return false
  }
}

/**
 * The cache that the service worker keeps a build's files in.
 *
 * @param {string} build
 */
export function cacheName(build) {
  return `leakladder ${new URL('./', document.baseURI).pathname} ${build}`
}

/**
 * @param {Manifest} manifest
 * @param {(patch: Partial<SavedState>) => void} onChange
 */
export function createKeeper(manifest, onChange) {
  const name = cacheName(manifest.build)
  const container = navigator.serviceWorker
  /** @type {ServiceWorkerRegistration | undefined} */
  let registration
  let asked = false // the person pressed "reload"
  let forgotten = false

  /**
   * Keep the page. What the page has already loaded is handed over, so that nothing is fetched twice.
   *
   * @param {Map<string, Blob>} loaded by path
   */
  async function start(loaded) {
    if (!container || !hasStorage() || !isSecureContext) return
    let controlled = container.controller !== null
    container.addEventListener('controllerchange', () => {
      if (asked) location.reload()
      else if (controlled) onChange({ replaced: true })
      controlled = true // the first worker of a first visit replaces nothing
    })
    try {
      if (!(await container.getRegistration())?.active) await handOver(loaded)
      registration = await container.register(scriptAddress('sw.js'), { updateViaCache: 'none' })
      if (registration?.active) await look()
    } catch {
      onChange({ core: 'failed' }) // full or blocked; the page itself needs none of it
    }
    if (!registration) return // refused, or a browser that pretends
    watch(registration.installing)
    registration.addEventListener('updatefound', () => watch(registration?.installing ?? null))
    if (registration.waiting) onChange({ waiting: registration.active !== null })
  }

  /** @param {Map<string, Blob>} loaded */
  async function handOver(loaded) {
    onChange({ core: 'saving' })
    const cache = await caches.open(name)
    for (const [path, blob] of loaded) {
      const headers = path.endsWith('.wasm') ? { 'content-type': 'application/wasm' } : undefined
      await cache.put(new URL(path, document.baseURI), new Response(blob, { headers }))
    }
  }

  /** @param {ServiceWorker | null} worker that is being installed */
  function watch(worker) {
    if (!worker) return
    const first = !registration?.active
    if (first) onChange({ core: 'saving' })
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') look().catch(() => onChange({ core: 'failed' }))
      else if (worker.state === 'installed') onChange({ waiting: !first })
      else if (worker.state === 'redundant' && first && !forgotten) onChange({ core: 'failed' })
    })
  }

  /** Say what is kept. */
  async function look() {
    const core = await holds(['index.html', 'manifest.json'])
    const model = modelPaths()
    onChange({
      core: core ? 'ready' : 'none',
      model: model.length === 0 ? 'absent' : (await holds(model)) ? 'ready' : 'none',
    })
  }

  /** The model was used, so it may be kept by now; nothing is where the browser keeps no page. */
  function lookForModel() {
    if (registration?.active) look().catch(() => onChange({ model: 'failed' }))
  }

  /** What the page reads of the model; its folder holds more, for other programs. */
  function modelPaths() {
    return Object.values(MODEL_FILES).filter((path) => manifest.files[path])
  }

  /** @param {string[]} paths */
  async function holds(paths) {
    if (!(await caches.has(name))) return false
    const cache = await caches.open(name)
    const found = await Promise.all(
      paths.map((path) => cache.match(new URL(path, document.baseURI))),
    )
    return found.every((response) => response !== undefined)
  }

  /** Keep the model's files too, before their first use. */
  function keepModel() {
    const worker = registration?.active
    if (!worker) return
    onChange({ model: 'saving', done: 0, total: 0 })
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => {
      if (data.total) onChange({ done: data.done, total: data.total })
      else if (data.error) onChange({ model: 'failed' })
      else look().catch(() => onChange({ model: 'failed' }))
    }
    worker.postMessage('keep-model', [port2])
  }

  /** Change to the build that waits: the one way in which this page ever reloads itself. */
  function reload() {
    asked = true
    if (registration?.waiting) registration.waiting.postMessage('activate')
    else location.reload()
  }

  /** Delete everything that is kept; the open page goes on as it is. */
  async function forget() {
    forgotten = true
    try {
      await registration?.unregister()
      const own = (await caches.keys()).filter((each) => each.startsWith(cacheName('')))
      for (const each of own) await caches.delete(each)
      const model = modelPaths().length ? 'none' : 'absent'
      onChange({ core: 'forgotten', model, waiting: false })
    } catch {
      onChange({ core: 'failed' })
    }
  }

  return { start, lookForModel, keepModel, reload, forget }
}
