/**
 * Looking at a result of rung 6: pages of the nearest rows, and pairs side by side.
 *
 * @import { MeaningAsk, MeaningResult } from './types.d.ts'
 * @import { Call, Store } from './controller.js'
 * @import { MeaningState } from './meaning-state.js'
 */

import { keyOf } from './meaning-state.js'

const NEAREST_ROWS = 200 // of the table, at a time

/**
 * @param {{ store: Store, call: Call, change: (patch: Partial<MeaningState>) => void, complain: (error: unknown) => void }} parts
 */
export function createMeaningLooks({ store, call, change, complain }) {
  /**
   * What is seen of a new result before anything is clicked.
   *
   * @param {MeaningResult} result
   */
  async function firstLook(result) {
    const { mode, ask } = store.get().meaning
    const page = mode === 'across' ? await askTable({ ...ask, offset: 0 }) : null
    const top = page?.rows[0]
    const [first] = result.pairs
    if (!top && !first) return { result, page, pair: null, selected: null }
    const [index, other] = top ? [top.index, null] : [first.a_index, first.b_index]
    const pair = await askPair(index, other)
    return { result, page, pair, selected: keyOf(index, other) }
  }

  /** @param {MeaningAsk} ask */
  function askTable(ask) {
    return call('meaning_table', { sort: '', ...ask, limit: NEAREST_ROWS })
  }

  /**
   * @param {number} index
   * @param {number | null} other
   */
  async function askPair(index, other) {
    return { ...(await call('meaning_pair', { index, other })), within: other !== null }
  }

  /** @param {Partial<MeaningAsk>} patch */
  async function showNearest(patch) {
    const ask = { ...store.get().meaning.ask, offset: 0, ...patch }
    change({ ask })
    try {
      const page = await askTable(ask)
      if (store.get().meaning.ask === ask) change({ page })
    } catch (error) {
      complain(error)
    }
  }

  /**
   * @param {number} index of a test row
   * @param {number | null} other another test row, or null for the nearest training row
   */
  async function openAlike(index, other) {
    const before = store.get().meaning.selected
    const selected = keyOf(index, other)
    change({ selected })
    try {
      const pair = await askPair(index, other)
      if (store.get().meaning.selected === selected) change({ pair })
    } catch (error) {
      if (store.get().meaning.selected === selected) change({ selected: before })
      complain(error)
    }
  }

  return { firstLook, showNearest, openAlike }
}
