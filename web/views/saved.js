/**
 * The page without a network: what this browser keeps, the copy to save, and what leaves the tab.
 *
 * @import { Bounds, Manifest, SavedState } from '../types.d.ts'
 */

import { el } from '../lib/dom.js'
import { count, size } from '../lib/format.js'
import { button } from './controls.js'

/** @typedef {{ keepModel(): void, reload(): void, forget(): void }} SavedActions */
/** @typedef {{ saved: SavedState, manifest: Manifest | null, act: SavedActions }} SavedProps */

const WHOLE = 'leakladder-offline.html'
const CORE = 'leakladder-offline-core.html'

/** @param {SavedProps} props */
export function savedView({ saved, manifest, act }) {
  return el(
    'div',
    { class: 'saved' },
    el(
      'div',
      { class: 'saved-part' },
      el('h2', null, 'What leaves this tab: nothing'),
      ...privacy(),
    ),
    el(
      'div',
      { class: 'saved-part' },
      el('h2', null, 'Without a network'),
      ...(manifest ? (manifest.copy ? copyText(manifest) : hostedText(saved, manifest, act)) : []),
      manifest && builtWith(manifest),
    ),
  )
}

function privacy() {
  return [
    el(
      'p',
      null,
      'Python reads both files inside this tab. The page fetches its own parts when it opens; after a file is in, it asks the network for nothing, except for the model’s files when you start the meaning check for the first time.',
    ),
    el(
      'p',
      null,
      'Its security policy refuses every other address, in the page and in its workers. No cell, file name or result is put into the address, the title or the browser’s storage; a link holds rows only if you tick that box. There are no cookies and nothing counts visits.',
    ),
    el(
      'p',
      null,
      'What this browser keeps: the theme, the page itself, Python’s memory as it is before any file is read, so that the page starts faster, and the marks and notes you give rows, under the files’ hashes and record numbers, until you clear them.',
    ),
  ]
}

/** @param {Manifest} manifest of a saved copy */
function copyText({ missing = [] }) {
  const lacks = missing.includes('model')
  return [
    el(
      'p',
      null,
      'This page is a saved copy: one file that holds everything, and whose policy allows no connection at all.',
    ),
    lacks &&
      el(
        'p',
        { class: 'saved-lack' },
        `This copy leaves out the meaning check, because the model for it is large. `,
        `The copy named ${WHOLE} has it.`,
      ),
  ]
}

/**
 * @param {SavedState} saved
 * @param {Manifest} manifest
 * @param {SavedActions} act
 */
function hostedText(saved, manifest, act) {
  return [
    el('p', { class: 'saved-line', 'data-core': saved.core }, coreLine(saved), modelLine(saved)),
    el('div', { class: 'give' }, ...keepButtons(saved, manifest, act)),
    ...copyLinks(manifest),
    el(
      'p',
      { class: 'hint' },
      'A browser may delete what it keeps; Safari does after seven days without a visit. The saved file is the copy that lasts: it opens with a double click.',
    ),
  ]
}

/** @type {Record<SavedState['core'], string>} */
const CORE_LINES = {
  none: 'Not kept by this browser.',
  saving: 'Being kept by this browser …',
  ready: 'Offline ready: the page opens without its server.',
  failed:
    'This browser did not keep the page, so it needs its server; its storage may be full or blocked.',
  forgotten: 'Deleted from this browser. The next visit keeps the page again.',
}

/** @param {SavedState} saved */
function coreLine({ core, waiting, replaced }) {
  if (replaced) return 'Another tab changed to a newer version. Reload this one when you are done.'
  if (waiting)
    return 'A newer version waits. Reloading changes to it; files in this tab are let go.'
  return CORE_LINES[core]
}

/** @param {SavedState} saved */
function modelLine({ core, model, done, total }) {
  if (core !== 'ready' || model === 'absent') return null
  if (model === 'ready') return ' The model is kept too.'
  if (model === 'saving') return ` Keeping the model: ${size(done)} of ${size(total)}.`
  if (model === 'failed') return ' The model could not be fetched and kept.'
  return ' The model is not kept yet.'
}

/**
 * @param {SavedState} saved
 * @param {Manifest} manifest
 * @param {SavedActions} act
 */
function keepButtons({ core, model, waiting, replaced }, { files }, act) {
  const bytes = Object.values(files).reduce(
    (sum, file) => sum + (file.group === 'model' ? file.bytes : 0),
    0,
  )
  const askModel = core === 'ready' && (model === 'none' || model === 'failed')
  return [
    (waiting || replaced) && button('New version ready: reload', act.reload, { kind: 'primary' }),
    askModel && button(`Keep the model too (${size(bytes)})`, act.keepModel),
    core === 'ready' && button('Delete what is kept', act.forget, { kind: 'quiet' }),
  ]
}

/** @param {Manifest} manifest */
function copyLinks({ files }) {
  const whole = files[WHOLE]
  const core = files[CORE]
  const larger = whole && core && whole.bytes > core.bytes + 1_000_000
  return [
    whole && copyLink(WHOLE, whole, 'Save a copy for offline use'),
    larger ? copyLink(CORE, core, 'Save a copy without the meaning check') : null,
  ]
}

/**
 * @param {string} path
 * @param {Manifest['files'][string]} file
 * @param {string} text
 */
function copyLink(path, file, text) {
  return el(
    'p',
    { class: 'copyfile' },
    el('a', { class: 'btn', href: path, download: path }, `${text} (${size(file.bytes)})`),
    el('span', { class: 'hash' }, 'SHA-256 ', el('code', null, file.sha256)),
  )
}

/** @param {{ build: string, version: string, bounds: Bounds }} manifest */
function builtWith({ build, version, bounds }) {
  return el(
    'p',
    { class: 'hint' },
    `Version ${version}, build ${build}, made for files of up to ${size(bounds.bytes)} and ${count(bounds.rows)} rows.`,
  )
}
