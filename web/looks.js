/**
 * Changes of the state that have to do with looking at results: pages of tables, the open row, the
 * overview, and what a person says of a row. Pure, like the rest of the store.
 *
 * @import { LookName, MarkName, PairView, RowMark } from './types.d.ts'
 * @import { Rung, State, TableAsk } from './state.js'
 */

/** @type {Record<string, (state: State, action: any) => State>} */
export const LOOK_REDUCERS = {
  'table-asked': askTable,
  'table-came': (state, { rung, page }) => patchRung(state, rung, { page }),
  'row-selected': (state, { rung, index }) => patchRung(state, rung, { selected: index }),
  'pair-came': takePair,
  'item-came': (state, { rung, index, item }) =>
    state.rungs[/** @type {LookName} */ (rung)].selected === index
      ? patchRung(state, rung, { item, pairError: null })
      : state,
  'pair-failed': (state, { rung, message }) =>
    patchRung(state, rung, { pair: null, item: null, pairError: message }),
  'look-came': (state, { rung, ...found }) =>
    patchRung(state, rung, { ...found, status: 'done', live: true, pairError: null }),
  'marks-loaded': (state, { pair, of, kept }) => ({ ...state, marks: { pair, of, kept } }),
  'row-marked': markRows,
  'row-noted': (state, { record, note }) =>
    setMark(state, record, { mark: state.marks.of[record]?.mark ?? null, note }),
  'marks-cleared': (state) => ({
    ...state,
    marks: { ...state.marks, of: {} },
    said: 'All marks of these two files are gone.',
  }),
  'marks-unkept': (state) => ({ ...state, marks: { ...state.marks, kept: false } }),
}

/**
 * @param {State} state
 * @param {LookName} name
 * @param {Partial<Rung>} patch
 * @returns {State}
 */
export function patchRung(state, name, patch) {
  return { ...state, rungs: { ...state.rungs, [name]: { ...state.rungs[name], ...patch } } }
}

/**
 * @param {State} state
 * @param {{ rung: LookName, ask: Partial<TableAsk> }} action
 * @returns {State}
 */
function askTable(state, { rung, ask }) {
  return patchRung(state, rung, { ask: { ...state.rungs[rung].ask, ...ask } })
}

/**
 * A pair that comes late, after another row was opened, is dropped.
 *
 * @param {State} state
 * @param {{ rung: LookName, index: number, pair: PairView }} action
 * @returns {State}
 */
function takePair(state, { rung, index, pair }) {
  if (state.rungs[rung].selected !== index) return state
  return patchRung(state, rung, { pair, pairError: null })
}

/**
 * Every row of an item gets the mark; if all have it already, it is taken off.
 *
 * @param {State} state
 * @param {{ records: number[], mark: MarkName }} action
 * @returns {State}
 */
function markRows(state, { records, mark }) {
  const off = records.every((record) => state.marks.of[record]?.mark === mark)
  const marked = records.reduce((made, record) => {
    const note = made.marks.of[record]?.note ?? ''
    return setMark(made, record, { mark: off ? null : mark, note })
  }, state)
  const rows = records.length === 1 ? `Record ${records[0]}` : `${records.length} records`
  return { ...marked, said: off ? `${rows}: mark taken off.` : `${rows}: ${mark}.` }
}

/**
 * @param {State} state
 * @param {number} record
 * @param {RowMark} value a row with neither mark nor note is no longer kept
 * @returns {State}
 */
function setMark(state, record, value) {
  const of = { ...state.marks.of, [record]: value }
  if (value.mark === null && value.note === '') delete of[record]
  return { ...state, marks: { ...state.marks, of } }
}
