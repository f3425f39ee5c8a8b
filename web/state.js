/**
 * What the page knows, and what can be told from it.
 *
 * Results are kept with the key of the inputs and settings they were computed from; a result whose
 * key is not the wanted one is stale, so the two can never disagree without it showing.
 *
 * @import { Bounds, Drafts, FileFacts, PairView, Progress, ReadOptions, RungName, Settings, Side, SplitValue, TablePage, TabName, Versions, WireError } from './types.d.ts'
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
 *   pairError: string | null,
 * }} Rung `key` belongs to `summary`, `asked` to the last run that was started; `live` says that the
 *   worker still holds this result, so that its table, pairs and exports can be asked for
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
 *   rungs: Record<RungName, Rung>,
 *   progress: Record<RungName, Progress | null>,
 *   withText: boolean,
 *   notice: { text: string, tone: 'plain' | 'bad' } | null,
 *   said: string,
 * }} State
 */

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

/** @type {Record<RungName, string>} */
const FIRST_SUBSET = { ngrams: 'checkable', rows: '', rules: '' }

/**
 * @param {RungName} name
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
    ask: { sort: '', descending: true, filter: '', subset: FIRST_SUBSET[name], offset: 0 },
    page: null,
    selected: null,
    pair: null,
    pairError: null,
  }
}

/** @returns {State['rungs']} */
export function idleRungs() {
  return { rows: idleRung('rows'), ngrams: idleRung('ngrams'), rules: idleRung('rules') }
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
    rungs: idleRungs(),
    progress: { rows: null, ngrams: null, rules: null },
    withText: true,
    notice: null,
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

/**
 * Name of the result that the inputs and settings ask for, or null when they ask for none.
 *
 * @param {State} state
 * @param {RungName} name
 */
export function wantedKey(state, name) {
  const bad = badDrafts(state)
  if (missing(state) !== null || bad.some((draft) => MATTERS[name].includes(draft))) return null
  const settings = wireSettings(state)
  const own = MATTERS[name].map((key) => settings[key])
  const { test_fields, train_fields, test_id, train_id, split } = settings
  return JSON.stringify([
    state.mode,
    state.slots.test.version,
    state.slots.train.version,
    [test_fields, train_fields, test_id, train_id, split],
    own,
  ])
}

/**
 * @param {State} state
 * @param {RungName} name
 */
export function isStale(state, name) {
  const rung = state.rungs[name]
  return rung.summary !== null && rung.key !== wantedKey(state, name)
}

/**
 * Whether the worker can be asked about this result: it holds it, and nothing has changed since.
 *
 * @param {State} state
 * @param {RungName} name
 */
export function isAnswerable(state, name) {
  return state.boot.status === 'ready' && state.rungs[name].live && !isStale(state, name)
}
