/**
 * What the page knows, and what can be told from it.
 *
 * Results are kept with the key of the inputs and settings they were computed from; a result whose
 * key is not the wanted one is stale, so the two can never disagree without it showing.
 *
 * @import { MeaningState } from './meaning-state.js'
 * @import { Bounds, Drafts, FileFacts, ItemView, LookName, PairView, Progress, ReadOptions, RowMark, RungName, SavedState, Settings, Side, SplitValue, TablePage, TabName, Versions, WireError } from './types.d.ts'
 */

/**
 * @typedef {{
 *   status: 'empty' | 'reading' | 'ready' | 'refused' | 'over',
 *   version: number,
 *   example: boolean,
 *   name: string,
 *   size: number,
 *   options: ReadOptions,
 *   facts: FileFacts | null,
 *   error: WireError | null,
 *   progress: Progress | null,
 *   fields: string[] | null,
 *   id: string | null,
 * }} Slot `version` grows whenever the rows may have changed; `fields` null means as guessed,
 *   [] that none is ticked; `id` as in Settings
 */

/**
 * @typedef {{
 *   status: 'idle' | 'running' | 'done' | 'failed' | 'stopped',
 *   key: string | null,
 *   asked: string | null,
 *   summary: any,
 *   example: boolean,
 *   live: boolean,
 *   names: { test: string, train: string },
 *   error: WireError | null,
 *   ask: TableAsk,
 *   page: TablePage<any> | null,
 *   selected: number | null,
 *   pair: PairView | null,
 *   item: ItemView | null,
 *   pairError: string | null,
 * }} Rung `key` belongs to `summary`, `asked` to the last run that was started; `live` says that the
 *   worker still holds this result, so that its table, pairs and exports can be asked for; `item` is
 *   the finding that is read on the rows tab
 */

/**
 * @typedef {{ pair: string | null, of: Record<number, RowMark>, kept: boolean }} Marks a person's word on
 *   test rows by record; `pair` names the two files, `kept` says that the browser keeps them
 */

/** @typedef {{ sort: string, descending: boolean, filter: string, subset: string, offset: number }} TableAsk */

/**
 * @typedef {{
 *   boot: { status: 'loading' | 'starting' | 'ready' | 'failed', step: string, done: number, total: number, error: WireError | null, versions: Versions | null },
 *   bounds: Bounds,
 *   example: string | null,
 *   mode: 'two' | 'one',
 *   slots: Record<Side, Slot>,
 *   split: { column: string | null, values: SplitValue[] | null, test: string | null, train: string | null },
 *   settings: Pick<Settings, 'tokens' | 'n' | 'threshold' | 'strip_articles' | 'rule_n' | 'llama_min'>,
 *   drafts: Drafts,
 *   tab: TabName,
 *   chosen: boolean,
 *   rungs: Record<LookName, Rung>,
 *   progress: Record<RungName, Progress | null>,
 *   withText: boolean,
 *   marks: Marks,
 *   meaning: MeaningState,
 *   notice: { text: string, tone: 'plain' | 'bad' } | null,
 *   saved: SavedState,
 *   said: string,
 * }} State
 */

import { idleMeaning } from './meaning-state.js'

/** @type {RungName[]} */
export const RUNGS = ['rows', 'ngrams', 'rules']

/** @type {Side[]} */
export const SIDES = ['test', 'train']

/** @type {Record<keyof Drafts, { min: number, max: number, optional: boolean }>} */
export const RANGES = {
  n: { min: 5, max: 25, optional: false },
  threshold: { min: 0, max: 100, optional: false },
  rule_n: { min: 5, max: 50, optional: true },
}

/** @returns {Slot} */
export function emptySlot(version = 0) {
  return {
    status: 'empty',
    version,
    example: false,
    name: '',
    size: 0,
    options: {},
    facts: null,
    error: null,
    progress: null,
    fields: null,
    id: null,
  }
}

/** @type {Record<LookName, string>} */
const FIRST_SUBSET = { ngrams: 'checkable', rows: '', rules: '', overview: '', train: 'hit' }

/** @param {LookName} name */
function firstOrder(name) {
  return name === 'overview'
    ? { sort: 'lowest', descending: false }
    : { sort: '', descending: true }
}

/**
 * @param {LookName} name
 * @returns {Rung}
 */
function idleRung(name) {
  return {
    status: 'idle',
    key: null,
    asked: null,
    summary: null,
    example: false,
    live: false,
    names: { test: '', train: '' },
    error: null,
    ask: { ...firstOrder(name), filter: '', subset: FIRST_SUBSET[name], offset: 0 },
    page: null,
    selected: null,
    pair: null,
    item: null,
    pairError: null,
  }
}

/** @returns {State['rungs']} */
export function idleRungs() {
  return {
    rows: idleRung('rows'),
    ngrams: idleRung('ngrams'),
    rules: idleRung('rules'),
    overview: idleRung('overview'),
    train: idleRung('train'),
  }
}

/** @returns {State} */
export function initialState() {
  return {
    boot: { status: 'loading', step: 'Opening', done: 0, total: 0, error: null, versions: null },
    bounds: { bytes: 2_000_000, rows: 200_000 },
    example: null,
    mode: 'two',
    slots: { test: emptySlot(), train: emptySlot() },
    split: { column: null, values: null, test: null, train: null },
    settings: {
      tokens: 'loose',
      n: 13,
      threshold: 0,
      strip_articles: false,
      rule_n: null,
      llama_min: 10,
    },
    drafts: { n: '13', threshold: '0', rule_n: '' },
    tab: 'ngrams',
    chosen: false,
    rungs: idleRungs(),
    progress: { rows: null, ngrams: null, rules: null },
    withText: true,
    marks: { pair: null, of: {}, kept: true },
    meaning: idleMeaning(),
    notice: null,
    saved: {
      core: 'none',
      model: 'absent',
      waiting: false,
      replaced: false,
      done: 0,
      total: 0,
    },
    said: '',
  }
}

// ---------------------------------------------------------------- what the state means

/**
 * @param {State} state
 * @returns {Settings} as the worker takes them
 */
export function wireSettings(state) {
  const { test, train } = state.slots
  const { split } = state
  const one = state.mode === 'one'
  return {
    ...state.settings,
    test_fields: test.fields ?? [],
    train_fields: (one ? test.fields : train.fields) ?? [],
    test_id: test.id,
    train_id: one ? test.id : train.id,
    split:
      one && split.column !== null && split.test !== null && split.train !== null
        ? { column: split.column, test: split.test, train: split.train }
        : null,
  }
}

/** @type {Record<RungName, (keyof Settings)[]>} */
const MATTERS = {
  ngrams: ['tokens', 'n', 'threshold'],
  rows: ['strip_articles'],
  rules: ['rule_n', 'llama_min'],
}

/**
 * What stands between the inputs and a run, in words for people, or null when nothing does.
 *
 * @param {State} state
 * @returns {string | null}
 */
export function missing(state) {
  const { test, train } = state.slots
  const one = state.mode === 'one'
  if (test.status !== 'ready') return slotMissing(test, one ? 'file' : 'test file')
  if (!one && train.status !== 'ready') return slotMissing(train, 'training file')
  if (one && !wireSettings(state).split) return 'Pick the split column and two of its values.'
  if (one && state.split.test === state.split.train) return 'Pick two different values.'
  if (test.fields?.length === 0 || (!one && train.fields?.length === 0)) {
    return 'Tick at least one text field.'
  }
  return null
}

/**
 * @param {Slot} slot
 * @param {string} name
 */
function slotMissing(slot, name) {
  if (slot.status === 'empty') return `Waiting for the ${name}.`
  if (slot.status === 'reading') return `Reading the ${name}.`
  return `The ${name} was not read; the reason is given above.`
}

/**
 * @param {State} state
 * @returns {(keyof Drafts)[]} settings whose text is not a number in range
 */
export function badDrafts(state) {
  return /** @type {(keyof Drafts)[]} */ (Object.keys(RANGES)).filter(
    (name) => parseDraft(name, state.drafts[name]) === undefined,
  )
}

/**
 * @param {keyof Drafts} name
 * @param {string} text
 * @returns {number | null | undefined} undefined when the text does not pass
 */
export function parseDraft(name, text) {
  const { min, max, optional } = RANGES[name]
  if (text.trim() === '' && optional) return null
  if (!/^\d{1,3}$/.test(text.trim())) return undefined
  const value = Number(text)
  return value >= min && value <= max ? value : undefined
}

/** @type {Record<RungName, (keyof Settings)[]>} those of MATTERS that need another search */
const SEARCHED = {
  ngrams: ['tokens'],
  rows: ['strip_articles'],
  rules: [],
}

/**
 * Name of the result that the inputs and settings ask for, or null when they ask for none.
 *
 * @param {State} state
 * @param {RungName} name
 */
export function wantedKey(state, name) {
  const bad = badDrafts(state)
  if (missing(state) !== null || bad.some((draft) => MATTERS[name].includes(draft))) return null
  return keyOver(state, MATTERS[name])
}

/**
 * Name of the search that the result comes from; results of one search differ in how it is looked at.
 *
 * @param {State} state
 * @param {RungName} name
 */
export function searchKey(state, name) {
  return keyOver(state, SEARCHED[name])
}

/**
 * @param {State} state
 * @param {(keyof Settings)[]} names
 */
function keyOver(state, names) {
  const settings = wireSettings(state)
  const own = names.map((key) => settings[key])
  const { test_fields, train_fields, test_id, train_id, split } = settings
  return JSON.stringify([
    state.mode,
    state.slots.test.version,
    state.slots.train.version,
    [test_fields, train_fields, test_id, train_id, split],
    own,
  ])
}

/** @type {Record<'overview' | 'train', RungName[]>} what a table is put together from */
export const PARTS = { overview: RUNGS, train: ['rows', 'ngrams'] }

/**
 * Name of the results that a table was put together from, for `key` of its Rung.
 *
 * @param {State} state
 * @param {'overview' | 'train'} name
 */
export function partsKey({ rungs, meaning }, name) {
  const keys = PARTS[name].map((part) => (rungs[part].live ? rungs[part].key : null))
  const alike = name === 'overview' && meaning.live && meaning.mode === 'across'
  return JSON.stringify(alike ? [...keys, meaning.key, meaning.result?.summary.threshold] : keys)
}

/**
 * @param {State} state
 * @param {LookName} name
 */
export function isStale(state, name) {
  const rung = state.rungs[name]
  if (name === 'overview' || name === 'train') {
    const old = PARTS[name].some((part) => isStale(state, part))
    return rung.summary !== null && (old || rung.key !== partsKey(state, name))
  }
  return rung.summary !== null && rung.key !== wantedKey(state, name)
}

/**
 * Whether the worker can be asked about this result: it holds it, and nothing has changed since.
 *
 * @param {State} state
 * @param {LookName} name
 */
export function isAnswerable(state, name) {
  return state.boot.status === 'ready' && state.rungs[name].live && !isStale(state, name)
}

/**
 * Name of the pair that marks belong to: by what is in the files and which of it is read, never by
 * a file's or a column's name, so that nothing of them is kept by the browser.
 *
 * @param {State} state
 * @returns {string | null} null while a side is missing
 */
export function marksPair(state) {
  if (missing(state) !== null) return null
  const { test, train } = state.slots
  const sides = state.mode === 'one' ? [test] : [test, train]
  const read = sides.map(({ facts, fields, options }) => [fields ?? facts?.guess.text, options])
  const hashes = sides.map(({ facts }) => facts?.sha256.slice(0, 32) ?? '')
  return [...hashes, shortHash(JSON.stringify([read, state.mode === 'one' && state.split]))].join(
    '-',
  )
}

/**
 * 53 bits of a text, one-way: what was read stands in it and cannot be read from it.
 *
 * @param {string} text
 */
function shortHash(text) {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < text.length; at += 1) {
    high = Math.imul(high ^ text.charCodeAt(at), 2654435761)
    low = Math.imul(low ^ text.charCodeAt(at), 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36)
}
