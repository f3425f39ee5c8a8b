/**
 * Marks that outlive the tab: record numbers, a mark and a note, kept by the browser under the hashes
 * of the two files. Where storage is blocked they live until the tab closes, and the page says so.
 *
 * @import { MarkName, RowMark } from './types.d.ts'
 * @import { Store } from './controller.js'
 */

import { keyOf } from './meaning-state.js'
import { marksPair } from './state.js'
import { MARKS } from './views/names.js'

const PREFIX = 'leakladder-marks:'

/**
 * @param {{ store: Store & { subscribe(listener: () => void): void }, storage: () => Storage, events: EventTarget }} parts
 *   `storage` may throw: the browser blocks it; `events` tells what other tabs write
 */
export function createMarking({ store, storage, events }) {
  /** @type {ReturnType<Store['get']>['marks']['of'] | null} */
  let written = null

  /** Other files have other marks; marks that changed are written down. */
  function follow() {
    const state = store.get()
    const pair = marksPair(state)
    // While a side is missing the last result stays on the page, and so do its marks.
    if (pair !== null && pair !== state.marks.pair) load(pair)
    else if (state.marks.of !== written) save(state.marks.pair, state.marks.of)
  }

  /** @param {string} pair */
  function load(pair) {
    let of = {}
    let kept = true
    try {
      of = parseMarks(storage().getItem(PREFIX + pair))
    } catch {
      kept = false // told by the page beside the marks
    }
    written = of
    store.dispatch({ type: 'marks-loaded', pair, of, kept })
  }

  /**
   * @param {string | null} pair
   * @param {Record<number, RowMark>} of
   */
  function save(pair, of) {
    written = of
    try {
      if (pair && Object.keys(of).length > 0) storage().setItem(PREFIX + pair, JSON.stringify(of))
      else if (pair) storage().removeItem(PREFIX + pair)
    } catch {
      store.dispatch({ type: 'marks-unkept' })
    }
  }

  store.subscribe(follow)
  // The same two files in another tab: one set of marks, so that neither tab writes over the other.
  events.addEventListener('storage', (event) => {
    const { pair } = store.get().marks
    const { key } = /** @type {StorageEvent} */ (event)
    if (pair && (key === PREFIX + pair || key === null)) load(pair)
  })

  return {
    /** @param {MarkName} mark */
    mark(mark) {
      const records = openRecords(store.get())
      if (records.length > 0) store.dispatch({ type: 'row-marked', records, mark })
    },
    /** @param {number} record @param {string} note */
    note: (record, note) => store.dispatch({ type: 'row-noted', record, note }),
    clearMarks: () => store.dispatch({ type: 'marks-cleared' }),
  }
}

/**
 * What was kept -> marks. Whatever is not of the right form is left out: another page of the same
 * origin may have written there.
 *
 * @param {string | null} text
 * @returns {Record<number, RowMark>}
 */
export function parseMarks(text) {
  /** @type {Record<number, RowMark>} */
  const of = {}
  for (const [record, value] of Object.entries(asObject(text))) {
    const { mark = null, note = '' } = Object(value)
    const right = (mark === null || MARKS.includes(mark)) && typeof note === 'string'
    if (/^[1-9]\d*$/.test(record) && right && (mark || note)) of[Number(record)] = { mark, note }
  }
  return of
}

/** @param {string | null} text */
function asObject(text) {
  try {
    return Object(JSON.parse(text ?? '{}'))
  } catch {
    return {} // not ours
  }
}

/**
 * Records of the test rows that are being read: one, or all of an item. The row that was chosen
 * counts, also while the one before it is still shown, or a quick hand would mark that. None where
 * the item that was chosen has more rows than the table names.
 *
 * @param {ReturnType<Store['get']>} state
 * @returns {number[]}
 */
export function openRecords({ tab, rungs, meaning }) {
  if (tab === 'train') return []
  if (tab === 'meaning') return openAlike(meaning)
  const { page, pair, item, selected } = rungs[tab]
  const key = tab === 'rows' ? 'at' : 'index'
  const chosen = page?.rows.find((row) => row[key] === selected)
  if (tab !== 'rows') {
    if (pair && (!chosen || pair.test.index === selected)) return [pair.test.record]
    return chosen ? [chosen.record] : []
  }
  const shown = recordsOf(item?.test.rows)
  const wanted = recordsOf(chosen?.test.rows)
  if (wanted.length === 0 || wanted[0] === shown[0]) return shown
  return chosen.test.more ? [] : wanted // the table does not name them all
}

/**
 * @param {ReturnType<Store['get']>['meaning']} meaning
 * @returns {number[]}
 */
function openAlike({ page, result, pair, selected }) {
  const near = page?.rows.find(({ index }) => keyOf(index, null) === selected)
  const alike = result?.pairs.find((one) => keyOf(one.a_index, one.b_index) === selected)
  const record = near?.record ?? alike?.a_record ?? pair?.test.record
  return record === undefined ? [] : [record]
}

/** @param {{ record: number }[]} [rows] */
function recordsOf(rows = []) {
  return rows.map(({ record }) => record)
}

/**
 * Marks as the worker takes them, for `clean`: record to mark.
 *
 * @param {Record<number, RowMark>} of
 * @returns {Record<string, string>}
 */
export function markNames(of) {
  const named = Object.entries(of).flatMap(([record, { mark }]) => (mark ? [[record, mark]] : []))
  return Object.fromEntries(named)
}
