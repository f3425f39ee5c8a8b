/**
 * Looking at a result: pages of its table, its pairs, and the overview of all of them.
 *
 * @import { LookName, TablePage, TabName } from './types.d.ts'
 * @import { TableAsk } from './state.js'
 * @import { Call, Store, View } from './controller.js'
 */

import { plural } from './lib/format.js'
import { asWire, isCancelled } from './rpc.js'
import { isAnswerable, partsKey } from './state.js'

export const PAGE_ROWS = 100 // table rows asked for, and drawn, at a time

/**
 * @param {{ store: Store, call: Call, complain: (error: unknown) => void }} parts
 */
export function createTables({ store, call, complain }) {
  /**
   * The first page of the table and the pair that stays open, so that all of it appears at once.
   *
   * @param {LookName} rung
   * @returns {Promise<View>}
   */
  async function firstView(rung) {
    const { ask, selected } = store.get().rungs[rung]
    const page = await askTable(rung, { ...ask, offset: 0 })
    const keys = page.rows.map(rowKey)
    const keep = selected !== null && keys.includes(selected) ? selected : (keys[0] ?? null)
    if (keep === null || rung === 'train') return { page, pair: null, item: null, selected: keep }
    const found = await askPair(rung, keep)
    const shown = rung === 'rows' ? { pair: null, item: found } : { pair: found, item: null }
    return { page, selected: keep, ...shown }
  }

  /**
   * A row beside its training row; with the published rules' verdicts once those have run.
   *
   * @param {LookName} rung
   * @param {number} index
   */
  function askPair(rung, index) {
    return call('pair', { rung, index })
  }

  /**
   * @param {LookName} rung
   * @param {TableAsk} ask
   * @returns {Promise<TablePage<any>>}
   */
  function askTable(rung, ask) {
    return call('table', { rung, ...ask, limit: PAGE_ROWS })
  }

  /**
   * @param {LookName} rung
   * @param {Partial<TableAsk>} patch
   */
  async function showTable(rung, patch) {
    store.dispatch({ type: 'table-asked', rung, ask: { offset: 0, ...patch } })
    const { ask } = store.get().rungs[rung]
    try {
      const page = await askTable(rung, ask)
      if (store.get().rungs[rung].ask !== ask) return
      store.dispatch({ type: 'table-came', rung, page })
      store.dispatch({ type: 'said', text: `${plural(page.total, 'row')}.` })
    } catch (error) {
      complain(error)
    }
  }

  /**
   * @param {LookName} rung
   * @param {number} index of a test row, or the place of a finding
   */
  async function openRow(rung, index) {
    const { selected } = store.get().rungs[rung]
    store.dispatch({ type: 'row-selected', rung, index })
    if (rung === 'train') return // its numbers are all there is
    try {
      const found = await askPair(rung, index)
      if (rung === 'rows') store.dispatch({ type: 'item-came', rung, index, item: found })
      else store.dispatch({ type: 'pair-came', rung, index, pair: found })
    } catch (error) {
      if (store.get().rungs[rung].selected !== index) return // another row was opened meanwhile
      if (isCancelled(error)) store.dispatch({ type: 'row-selected', rung, index: selected })
      else store.dispatch({ type: 'pair-failed', rung, message: asWire(error).message })
    }
  }

  /**
   * Move the selection; beyond the last row drawn the next page is asked for.
   *
   * @param {number} by 1 or -1
   */
  async function move(by) {
    const { tab, rungs } = store.get()
    if (!hasRows(tab)) return
    const { page, selected, ask } = rungs[tab]
    if (!page?.rows.length || !isAnswerable(store.get(), tab)) return
    const keys = page.rows.map(rowKey)
    const at = keys.indexOf(selected ?? -1) + by
    if (at >= 0 && at < keys.length) await openRow(tab, keys[at])
    else {
      const offset = page.offset + by * PAGE_ROWS
      if (offset < 0 || offset >= page.total) return
      await showTable(tab, { ...ask, offset })
      const rows = store.get().rungs[tab].page?.rows ?? []
      const next = by > 0 ? 0 : rows.length - 1
      if (rows.length) await openRow(tab, rowKey(rows[next]))
    }
  }

  return { firstView, showTable, openRow, move, refresh }

  /** What is put together from several results, once they are there. */
  async function refresh() {
    for (const name of LOOKS) {
      const key = partsKey(store.get(), name)
      const { rungs } = store.get()
      const [first] = NEEDS[name].filter((part) => rungs[part].live)
      if (!first || (rungs[name].live && rungs[name].key === key)) continue
      try {
        const summary = name === 'overview' ? await call('overview', {}) : {}
        const view = await firstView(name)
        if (partsKey(store.get(), name) !== key) return // another run ended; it refreshes in its turn
        store.dispatch({ type: 'look-came', rung: name, key, summary, ...view })
      } catch (error) {
        // A worker that was replaced meanwhile holds no results; the next run refreshes again.
        if (asWire(error).code !== 'not-run') complain(error)
      }
    }
    const { ngrams, rules } = store.get().rungs
    const { pair, selected } = ngrams
    if (rules.live && ngrams.live && pair && !pair.verdicts) {
      await openRow('ngrams', selected ?? pair.test.index)
    }
  }
}

/** @type {('overview' | 'train')[]} */
const LOOKS = ['overview', 'train']

/** @type {Record<'overview' | 'train', import('./types.d.ts').RungName[]>} any of these is enough */
const NEEDS = { overview: ['ngrams', 'rows', 'rules'], train: ['ngrams'] }

/**
 * What tells a row of a table apart: the test or training row's index, or a finding's place.
 *
 * @param {{ index?: number, at?: number }} row
 * @returns {number}
 */
function rowKey({ index, at }) {
  return index ?? at ?? -1
}

/**
 * @param {TabName} tab
 * @returns {tab is LookName}
 */
function hasRows(tab) {
  return tab !== 'meaning'
}
