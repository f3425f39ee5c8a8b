/**
 * Composition root: makes the store, the engine, the views, and ties them together.
 *
 * @import { Manifest, StoredExample } from './types.d.ts'
 * @import { Parts } from './parts.js'
 * @import { Engine } from './startup.js'
 */

import { createAddress } from './address.js'
import { createLoader } from './assets.js'
import { createController } from './controller.js'
import { drawOncePerFrame } from './frames.js'
import { createKeeper } from './keeper.js'
import { openKeptPages } from './kept.js'
import { listenKeys } from './keys.js'
import { region } from './lib/dom.js'
import { MAX_ADDRESS } from './lib/link.js'
import { openRecords } from './marking.js'
import { isMeaningStale, meaningMissing, meaningReason } from './meaning-inputs.js'
import { MODEL_FILES, poolSize } from './meaning-pool.js'
import { asWire } from './rpc.js'
import { createSnapshots, NO_SNAPSHOTS } from './snapshot.js'
import { takeOver } from './start.js'
import { keepSnapshot, startEngine } from './startup.js'
import { badDrafts, initialState, isAnswerable, isStale, missing } from './state.js'
import { createStore } from './store.js'
import { PAGE_ROWS } from './tables.js'
import { createTheme } from './theme.js'
import { answerView } from './views/answer.js'
import { barView } from './views/bar.js'
import { cleanDialog } from './views/clean.js'
import { filesView } from './views/files.js'
import { savedView } from './views/saved.js'
import { shareDialog } from './views/share.js'
import { stripView } from './views/strip.js'
import { createWorkView, showOpenRow } from './views/work.js'

const store = createStore(initialState())
/** @type {PromiseWithResolvers<Engine>} */
const engine = Promise.withResolvers()
const act = createController(store, engine.promise)
const small = matchMedia('(max-width: 45rem)')
const workers = poolSize()
const theme = createTheme(() => draw(store.get()))
/** @type {Record<string, StoredExample>} */
let examples = {}

/** @param {string} name */
function place(name) {
  const found = document.querySelector(`[data-region="${name}"]`)
  if (!found) throw new Error(`the page has no region ${name}`)
  return found
}

const drawBar = region(place('bar'), barView)
const drawFiles = region(place('files'), filesView)
const drawStrip = region(place('strip'), stripView)
const drawAnswer = region(place('answer'), answerView)
const drawWork = region(place('work'), createWorkView())
const drawSaved = region(place('saved'), savedView)
const said = place('said')
/** @type {Manifest | null} */
let manifest = null
/** @type {ReturnType<typeof createKeeper> | null} */
let keeper = null
/** @type {PromiseWithResolvers<void>} the browser has the whole page */
const pageKept = Promise.withResolvers()
const savedAct = {
  keepModel: () => keeper?.keepModel(),
  reload: () => keeper?.reload(),
  forget: () => void keeper?.forget(),
}
/** @type {Map<string, { text: string, value: any }>} */
const memo = new Map()

/**
 * The same object while its content is the same, so that a region can tell that nothing changed.
 *
 * @template T
 * @param {string} name
 * @param {T} value
 * @returns {T}
 */
function steady(name, value) {
  const text = JSON.stringify(value)
  const last = memo.get(name)
  if (last?.text === text) return last.value
  memo.set(name, { text, value })
  return value
}

/** @type {string} */
let shownTab = ''
let modelUsed = false

/** @param {import('./state.js').State} state */
function draw(state) {
  const {
    boot,
    slots,
    rungs,
    progress,
    mode,
    split,
    bounds,
    settings,
    drafts,
    tab,
    notice,
    withText,
    marks,
  } = state
  const bad = steady('bad', badDrafts(state))
  const stale = steady(
    'stale',
    perRung((rung) => isStale(state, rung)),
  )
  const answerable = steady(
    'answerable',
    perRung((rung) => isAnswerable(state, rung)),
  )
  const gap = missing(state)
  const badSettings = bad.length > 0
  const titles = Object.entries(examples).map(([name, { title }]) => ({ name, title }))
  drawBar({
    theme: theme.get(),
    examples: steady('titles', titles),
    onTheme: theme.next,
    onExample,
  })
  drawFiles({ slots, mode, split, bounds, settings, act })
  drawStrip({ boot, rungs, progress, slots, missing: gap, notice, act })
  drawAnswer({
    tab,
    rungs,
    meaning: state.meaning,
    stale,
    meaningStale: isMeaningStale(state),
    answerable,
    missing: gap,
    badSettings,
    status: boot.status,
    onClean,
    act,
  })
  drawWork({
    tab,
    rungs,
    stale,
    answerable,
    settings,
    drafts,
    bad,
    withText,
    marks,
    open: steady('open', openRecords(state)),
    meaning: state.meaning,
    meaningGap: meaningMissing(state),
    meaningStale: isMeaningStale(state),
    narrow: small.matches,
    workers,
    step: PAGE_ROWS,
    onClean,
    act,
  })
  drawSaved({ saved: state.saved, manifest, act: savedAct })
  if (tab !== shownTab) showOpenRow(place('work'))
  shownTab = tab
  if (said.textContent !== state.said) said.textContent = state.said
}

/**
 * @template T
 * @param {(rung: import('./types.d.ts').LookName) => T} value
 */
function perRung(value) {
  return {
    rows: value('rows'),
    ngrams: value('ngrams'),
    rules: value('rules'),
    overview: value('overview'),
    train: value('train'),
  }
}

/**
 * The first use of the model lets the browser keep it: the foot of the page says so.
 *
 * @param {import('./state.js').State} state
 */
function tellModelKept({ meaning }) {
  if (modelUsed || !meaning.modelIn || !meaning.live) return
  modelUsed = true
  keeper?.lookForModel()
}

function onClean() {
  const state = store.get()
  const dialog = cleanDialog({ state, alike: meaningReason(state), act })
  document.body.append(dialog)
  dialog.showModal()
}

/** @param {string} name */
function onExample(name) {
  void act.showExample(name, examples[name])
}

async function open() {
  const loading = takeOver((done, total) => {
    const step = 'fetching Python'
    store.dispatch({ type: 'boot-progress', status: 'loading', step, done, total })
  })
  manifest = await loading.manifest
  store.dispatch({ type: 'bounds-known', bounds: manifest.bounds })
  const parts = await loading.parts
  offerModel(manifest)
  const snapshots = manifest.copy ? NO_SNAPSHOTS : createSnapshots(manifest.build)
  const started = startEngine(manifest, parts, snapshots, { store, act })
  engine.resolve(started)
  await showFirst(parts.examples)
  await started.whenReady() // keeping the page would take the processor from Python's start
  await keep(manifest, parts)
  await pageKept.promise
  await keepSnapshot(started, snapshots, store)
}

/**
 * The model's files wait for a click; the build, or a saved copy, may have none.
 *
 * @param {Manifest} build
 */
function offerModel(build) {
  const paths = Object.values(MODEL_FILES)
  if (build.missing?.includes('model') || paths.some((path) => !build.files[path])) return
  const { load, loadCompiled } = createLoader(build, (done, total) => {
    const progress = { phase: 'Fetching the model', done, total, rate: null, left: null }
    store.dispatch({ type: 'meaning-changed', patch: { progress } })
  })
  const bytes = paths.reduce((sum, path) => sum + build.files[path].bytes, 0)
  const sha256 = (/** @type {string} */ path) => build.files[path].sha256
  act.offerModel({ load, loadCompiled, bytes, sha256, inside: Boolean(build.copy) })
}

/** @param {{ bytes: Promise<Uint8Array<ArrayBuffer>> }} part */
async function showFirst(part) {
  const text = new TextDecoder().decode(await part.bytes)
  examples = JSON.parse(text)
  const address = createAddress({ store, act, examples })
  act.onShare(() => void share(address))
  address.start()
}

/**
 * With an example the link is copied at once; with a person's own files they are asked first.
 *
 * @param {ReturnType<typeof createAddress>} address
 */
async function share({ make }) {
  /** @param {string} text */
  const onCopy = (text) => void act.copy(text, 'the link')
  if (store.get().example !== null) return onCopy((await make(false)).address)
  const dialog = shareDialog({ make, most: MAX_ADDRESS, onCopy })
  document.body.append(dialog)
  dialog.showModal()
}

/**
 * @param {Manifest} build
 * @param {Parts} parts
 */
async function keep(build, parts) {
  if (build.copy) return
  const { bytecode, ...needed } = parts
  const aside = await bytecode.asked()
  const own = Object.values(store.get().slots).some((slot) => slot.name !== '' && !slot.example)
  if (own) return // nothing is fetched while a person's files are in
  keeper = createKeeper(build, (patch) => {
    store.dispatch({ type: 'saved-changed', patch })
    if (patch.core === 'ready') pageKept.resolve()
    if (!patch.waiting || store.get().notice) return
    const text = 'A newer version of this page is ready; the foot of the page changes to it.'
    store.dispatch({ type: 'notice', text })
  })
  const loaded = new Map()
  for (const { path, bytes } of Object.values(needed)) loaded.set(path, new Blob([await bytes]))
  if (aside) loaded.set(bytecode.path, new Blob([aside]))
  await keeper.start(loaded)
}

for (const type of ['dragover', 'drop']) {
  document.addEventListener(type, (event) => event.preventDefault())
}
document.addEventListener('dragenter', () =>
  document.documentElement.setAttribute('data-dragging', ''),
)
document.addEventListener('dragleave', (event) => {
  if (!event.relatedTarget) document.documentElement.removeAttribute('data-dragging')
})
document.addEventListener('drop', (event) => {
  document.documentElement.removeAttribute('data-dragging')
  void act.takeFiles([...(event.dataTransfer?.files ?? [])], null)
})
listenKeys(document, act)
openKeptPages()
place('standby').remove()
const drawing = drawOncePerFrame(() => draw(store.get()))
store.subscribe(drawing.soon)
for (const type of ['click', 'keydown', 'change']) {
  window.addEventListener(type, drawing.now) // so that the next press is on what this one made
}
store.subscribe(tellModelKept)
small.addEventListener('change', () => draw(store.get()))
draw(store.get())
open().catch((error) => {
  engine.promise.catch(() => {})
  engine.reject(error)
  store.dispatch({ type: 'boot-failed', error: asWire(error) })
})
