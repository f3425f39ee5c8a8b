/**
 * Every way in which the state can change. The reducer is pure: no clock, no DOM, no worker.
 *
 * @import { Drafts, FileFacts, ItemView, PairView, ReadOptions, RungName, Settings, Side, StoredExample } from './types.d.ts'
 * @import { Slot, State } from './state.js'
 */

import { plural } from './lib/format.js'
import { guessSplits } from './lib/roles.js'
import { LOOK_REDUCERS, patchRung } from './looks.js'
import { linkedMeaning, showMeaning } from './meaning-example.js'
import { forgotten, MEANING_REDUCERS, patchMeaning } from './meaning-state.js'
import { emptySlot, idleRungs, initialState, parseDraft, wantedKey } from './state.js'

/** @type {Record<string, (state: State, action: any) => State>} */
const REDUCERS = {
  'boot-progress': (state, { step, done, total, status }) =>
    state.boot.status === 'failed' // the parts still under way change nothing any more
      ? state
      : { ...state, boot: { ...state.boot, step, done, total, status } },
  'boot-ready': (state, { versions }) => ({
    ...state,
    boot: { ...state.boot, status: 'ready', step: 'Ready', versions, error: null },
  }),
  'boot-failed': (state, { error }) => ({
    ...state,
    boot: { ...state.boot, status: 'failed', error },
    said: `The checker did not start. ${error.message}`,
  }),
  'worker-replaced': (state) => ({
    ...(state.meaning.live ? patchMeaning(state, { live: false }) : state),
    rungs: forgottenRungs(state),
  }),
  'bounds-known': (state, { bounds }) => ({ ...state, bounds }),
  'example-shown': (state, { name, example }) => showExample(state, name, example),
  'file-taken': takeFile,
  'file-over': (state, action) => ({
    ...patchSlot(takeFile(state, action), action.side, { status: 'over' }),
    said: `${action.name} is over the bound; nothing of it was read.`,
  }),
  'file-progress': (state, { side, progress }) => patchSlot(state, side, { progress }),
  'file-read': (state, { side, facts }) => readFile(state, side, facts),
  'file-refused': (state, { side, error }) => ({
    ...patchSlot(state, side, { status: 'refused', error, progress: null }),
    said: error.message,
  }),
  'options-changed': changeOptions,
  'slot-cleared': (state, { side }) => clearSlot(state, side),
  'slots-swapped': swapSlots,
  'fields-chosen': (state, { side, fields }) => patchSlot(state, side, { fields }),
  'id-chosen': (state, { side, id }) => patchSlot(state, side, { id }),
  'mode-chosen': (state, { mode }) => chooseMode(state, mode),
  'split-column': (state, { column }) => ({
    ...state,
    split: { column, values: null, test: null, train: null },
  }),
  'split-values': (state, { column, values }) =>
    state.split.column === column
      ? { ...state, split: { column, values, ...guessSplits(values) } }
      : state,
  'split-picked': (state, { side, value }) => ({
    ...state,
    split: { ...state.split, [side]: value },
  }),
  'setting-changed': (state, { name, value }) => ({
    ...state,
    settings: { ...state.settings, [name]: value },
  }),
  'draft-changed': changeDraft,
  'settings-linked': (state, { settings: linked }) => {
    const settings = { ...initialState().settings, ...pickSettings(linked) } // a link says it all
    return { ...state, settings, drafts: draftsOf(settings) }
  },
  'saved-changed': (state, { patch }) => ({ ...state, saved: { ...state.saved, ...patch } }),
  'tab-opened': (state, { tab }) => ({ ...state, tab, chosen: true }),
  'text-switched': (state, { on }) => ({ ...state, withText: on }),
  'run-started': (state, { rung, key }) =>
    patchRung(state, rung, { status: 'running', asked: key, live: false, error: null }),
  'run-progress': (state, { rung, progress }) => patchProgress(state, rung, progress),
  'run-done': finishRun,
  'run-failed': (state, { rung, error }) => ({
    ...patchRung(patchProgress(state, rung, null), rung, { status: 'failed', error }),
    said: error.message,
  }),
  'run-stopped': (state, { rung, asked }) => {
    const patch = { status: /** @type {const} */ ('stopped'), live: false }
    const also = asked === undefined ? patch : { ...patch, asked }
    return patchRung(patchProgress(state, rung, null), rung, also)
  },
  'run-queued': (state, { rung }) =>
    patchRung(patchProgress(state, rung, null), rung, { status: 'idle', live: false, error: null }),
  ...LOOK_REDUCERS,
  ...MEANING_REDUCERS,
  notice: (state, { text, tone = 'plain' }) => ({
    ...state,
    notice: text ? { text, tone } : null,
    said: text || state.said,
  }),
  said: (state, { text }) => ({ ...state, said: text }),
}

/**
 * @param {State} state
 * @param {{ type: string, [more: string]: any }} action
 * @returns {State}
 */
export function reduce(state, action) {
  const change = REDUCERS[action.type]
  if (!change) throw new Error(`no such action: ${action.type}`)
  return change(state, action)
}

/**
 * @param {State} state
 * @param {Side} side
 * @param {Partial<Slot>} patch
 * @returns {State}
 */
function patchSlot(state, side, patch) {
  return { ...state, slots: { ...state.slots, [side]: { ...state.slots[side], ...patch } } }
}

/**
 * @param {State} state
 * @param {RungName} name
 * @param {State['progress'][RungName]} progress
 * @returns {State}
 */
function patchProgress(state, name, progress) {
  return { ...state, progress: { ...state.progress, [name]: progress } }
}

/**
 * A new worker holds no results: what is shown stays, what is asked has to be computed again.
 *
 * @param {State} state
 * @returns {State['rungs']}
 */
function forgottenRungs({ rungs }) {
  const forgotten = Object.entries(rungs).map(([name, rung]) => [name, { ...rung, live: false }])
  return Object.fromEntries(forgotten)
}

/**
 * Both slots and the result at once, as the build stored them.
 *
 * @param {State} state
 * @param {string} name
 * @param {StoredExample} example
 * @returns {State}
 */
function showExample(state, name, example) {
  const slots = {
    test: exampleSlot(state, example, 'test'),
    train: exampleSlot(state, example, 'train'),
  }
  const settings = { ...initialState().settings, ...pickSettings(example.settings) }
  /** @type {State} */
  const shown = {
    ...state,
    example: name,
    mode: 'two',
    slots,
    split: initialState().split,
    settings,
    drafts: draftsOf(settings),
    tab: example.rung,
    chosen: false,
    rungs: idleRungs(),
    meaning: linkedMeaning(state, example.settings),
  }
  const whole = example.meaning ? showMeaning(shown, example.meaning) : shown
  if (example.summary === null || example.rung === 'meaning') return whole
  return patchRung(whole, example.rung, {
    status: 'done',
    key: wantedKey(shown, example.rung),
    summary: example.summary,
    example: true,
    names: { test: example.test.name, train: example.train.name },
    page: example.table,
    pair: example.pair,
    item: example.item ?? null,
    selected: example.pair?.test.index ?? (example.item ? 0 : null),
  })
}

/**
 * @param {State} state
 * @param {StoredExample} example
 * @param {Side} side
 * @returns {Slot}
 */
function exampleSlot(state, example, side) {
  return {
    ...emptySlot(state.slots[side].version + 1),
    status: 'ready',
    example: true,
    name: example[side].name,
    size: example.facts[side].bytes,
    facts: example.facts[side],
  }
}

/** @param {Partial<Settings>} settings */
function pickSettings(settings) {
  const known = Object.keys(initialState().settings)
  return Object.fromEntries(Object.entries(settings).filter(([key]) => known.includes(key)))
}

/**
 * @param {State['settings']} settings
 * @returns {Drafts}
 */
function draftsOf({ n, threshold, rule_n }) {
  return {
    n: String(n),
    threshold: String(threshold),
    rule_n: rule_n === null ? '' : String(rule_n),
  }
}

/**
 * A person's file goes into a slot. The first one clears the example, inputs and results both.
 *
 * @param {State} state
 * @param {{ side: Side, name: string, size: number }} action
 * @returns {State}
 */
function takeFile(state, { side, name, size }) {
  const base = leaveExample(state)
  const slot = { ...emptySlot(base.slots[side].version + 1), name, size }
  const split = side === 'test' ? initialState().split : base.split
  return patchSlot({ ...base, split, notice: null }, side, { ...slot, status: 'reading' })
}

/**
 * @param {State} state
 * @returns {State}
 */
function leaveExample(state) {
  if (state.example === null) return state
  return {
    ...state,
    example: null,
    tab: state.chosen ? state.tab : 'overview', // a person's own files: the answer to all of it first
    slots: {
      test: emptySlot(state.slots.test.version + 1),
      train: emptySlot(state.slots.train.version + 1),
    },
    rungs: idleRungs(),
    meaning: forgotten(state.meaning),
  }
}

/**
 * @param {State} state
 * @param {Side} side
 * @param {FileFacts} facts
 * @returns {State}
 */
function readFile(state, side, facts) {
  const { fields } = state.slots[side]
  const paths = facts.fields.map((field) => field.path)
  const keep = fields?.every((path) => paths.includes(path)) ?? false
  const read = patchSlot(state, side, {
    status: 'ready',
    facts,
    error: null,
    progress: null,
    fields: keep ? fields : null,
  })
  return { ...read, said: `${facts.name}: ${plural(facts.rows, 'row')} read.` }
}

/**
 * @param {State} state
 * @param {Side} side
 * @returns {State}
 */
function clearSlot(state, side) {
  const base = leaveExample(state)
  return patchSlot(base, side, emptySlot(base.slots[side].version + 1))
}

/**
 * @param {State} state
 * @returns {State}
 */
function swapSlots(state) {
  const { test, train } = state.slots
  const version = Math.max(test.version, train.version) + 1
  return {
    ...state,
    example: null,
    slots: {
      test: { ...train, version, facts: train.facts && { ...train.facts, side: 'test' } },
      train: { ...test, version, facts: test.facts && { ...test.facts, side: 'train' } },
    },
  }
}

/**
 * @param {State} state
 * @param {State['mode']} mode
 * @returns {State}
 */
function chooseMode(state, mode) {
  if (mode === state.mode) return state
  const base = leaveExample(state)
  return { ...base, mode, split: initialState().split }
}

/**
 * @param {State} state
 * @param {{ name: keyof Drafts, text: string }} action
 * @returns {State}
 */
function changeDraft(state, { name, text }) {
  const value = parseDraft(name, text)
  const settings = value === undefined ? state.settings : { ...state.settings, [name]: value }
  return { ...state, settings, drafts: { ...state.drafts, [name]: text } }
}

/**
 * @param {State} state
 * @param {{ side: Side, options: ReadOptions }} action
 * @returns {State}
 */
function changeOptions(state, { side, options }) {
  const version = state.slots[side].version + 1
  return patchSlot(state, side, { options, status: 'reading', error: null, version })
}

/**
 * @param {State} state
 * @param {{ rung: RungName, key: string, summary: any, page: any, pair: PairView | null, item: ItemView | null, selected: number | null, said: string }} action
 * @returns {State}
 */
function finishRun(state, { rung, key, summary, page, pair, item, selected, said }) {
  const { slots, split, mode } = state
  const names =
    mode === 'one'
      ? { test: `${slots.test.name}: ${split.test}`, train: `${split.train}` }
      : { test: slots.test.name, train: slots.train.name }
  const done = patchRung(patchProgress(state, rung, null), rung, {
    status: 'done',
    key,
    summary,
    example: state.example !== null,
    live: true,
    names,
    error: null,
    page,
    pair,
    item,
    selected,
    pairError: null,
  })
  return { ...done, said }
}

/**
 * @param {State} first
 */
export function createStore(first) {
  let state = first
  /** @type {Set<(state: State) => void>} */
  const listeners = new Set()
  return {
    get: () => state,
    /** @param {{ type: string, [more: string]: any }} action */
    dispatch(action) {
      state = reduce(state, action)
      for (const listener of listeners) listener(state)
    },
    /** @param {(state: State) => void} listener */
    subscribe(listener) {
      listeners.add(listener)
    },
  }
}
