/**
 * The beginning of every visit. A script of its own and a small one, so that what Python needs is
 * under way while the page's script still arrives; `app.js` imports it.
 *
 * @import { Manifest } from './types.d.ts'
 * @import { Parts } from './parts.js'
 */

import { createLoader, loadManifest } from './assets.js'
import { startLoading } from './parts.js'

/** @typedef {(done: number, total: number) => void} OnProgress bytes of all parts together */

/** @type {OnProgress | null} */
let listener = null
/** @type {Parameters<OnProgress> | null} what was told before anybody listened */
let before = null

/** @type {{ manifest: Promise<Manifest>, parts: Promise<Parts> } | null} */
let begun = begin()

function begin() {
  const manifest = loadManifest()
  const parts = manifest.then((found) =>
    startLoading(
      found,
      createLoader(found, tell),
      createLoader(found, () => {}),
    ),
  )
  parts.catch(() => {}) // told where it is awaited
  return { manifest, parts }
}

/** @type {OnProgress} */
function tell(...progress) {
  if (listener) listener(...progress)
  else before = progress
}

/**
 * Take over what is under way, once; it is not held here, as the parts are large.
 *
 * @param {OnProgress} onProgress told at once how far it is
 */
export function takeOver(onProgress) {
  if (!begun) throw new Error('the loading was taken over before')
  const taken = begun
  begun = null
  listener = onProgress
  if (before) onProgress(...before)
  return taken
}
