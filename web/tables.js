/**
 * Looking at a result: pages of its table, its pairs, its downloads.
 *
 * @import { RungName, TablePage } from './types.d.ts'
 * @import { TableAsk } from './state.js'
 * @import { Call, Store } from './controller.js'
 */

import { saveFile } from './lib/download.js'
import { asWire, isCancelled } from './rpc.js'
import { isAnswerable } from './state.js'

export const PAGE_ROWS = 200 // table rows asked for, and drawn, at a time

/**
 * @param {{ store: Store, call: Call, complain: (error: unknown) => void }} parts
 */
export function createTables({ store, call, complain }) {
  /**
   * The first page of the table and the pair that stays open, so that all of it appears at once.
   *
   * @param {RungName} rung
   */
  async function firstView(rung) {
    const { ask, selected } = store.get().rungs[rung]
    const page = await askTable(rung, { ...ask, offset: 0 })
    if (rung === 'rows') return { page, pair: null, selected: null } // whole rows: nothing to mark
    const rows = /** @type {{ index: number }[]} */ (page.rows)
    const keep = rows.some(({ index }) => index === selected) ? selected : (rows[0]?.index ?? null)
    const pair = keep === null ? null : await call('pair', { rung, index: keep })
    return { page, pair, selected: keep }
  }

  /**
   * @param {RungName} rung
   * @param {TableAsk} ask
   * @returns {Promise<TablePage<any>>}
   */
  function askTable(rung, ask) {
    return call('table', { rung, ...ask, limit: PAGE_ROWS })
  }

  /**
   * @param {RungName} rung
   * @param {Partial<TableAsk>} patch
   */
  async function showTable(rung, patch) {
    store.dispatch({ type: 'table-asked', rung, ask: { offset: 0, ...patch } })
    const { ask } = store.get().rungs[rung]
    try {
      const page = await askTable(rung, ask)
      if (store.get().rungs[rung].ask === ask) store.dispatch({ type: 'table-came', rung, page })
    } catch (error) {
      complain(error)
    }
  }

  /**
   * @param {RungName} rung
   * @param {number} index of a test row
   */
  async function openRow(rung, index) {
    store.dispatch({ type: 'row-selected', rung, index })
    try {
      const pair = await call('pair', { rung, index })
      store.dispatch({ type: 'pair-came', rung, index, pair })
    } catch (error) {
      if (!isCancelled(error)) {
        store.dispatch({ type: 'pair-failed', rung, message: asWire(error).message })
      }
    }
  }

  /**
   * Move the selection; beyond the last row drawn the next page is asked for.
   *
   * @param {number} by 1 or -1
   */
  async function move(by) {
    const { tab, rungs } = store.get()
    if (tab !== 'ngrams' && tab !== 'rules') return
    const { page, selected, ask } = rungs[tab]
    if (!page?.rows.length || !isAnswerable(store.get(), tab)) return
    const keys = page.rows.map(({ index }) => index)
    const at = keys.indexOf(selected) + by
    if (at >= 0 && at < keys.length) await openRow(tab, keys[at])
    else {
      const offset = page.offset + by * PAGE_ROWS
      if (offset < 0 || offset >= page.total) return
      await showTable(tab, { ...ask, offset })
      const rows = store.get().rungs[tab].page?.rows ?? []
      const next = by > 0 ? 0 : rows.length - 1
      if (rows.length) await openRow(tab, rows[next].index)
    }
  }

  /**
   * @param {string} what as in the wire's export, "ngrams.csv"
   */
  async function save(what) {
    const name = `leakladder-${what}`
    store.dispatch({ type: 'notice', text: `Writing ${name}` })
    try {
      const bytes = await call('export', { what, text: store.get().withText })
      const type = what.endsWith('.csv') ? 'text/csv;charset=utf-8' : 'application/json'
      saveFile(bytes, name, type)
      store.dispatch({ type: 'notice', text: `${name} went to your downloads` })
    } catch (error) {
      complain(error)
    }
  }

  return { firstView, showTable, openRow, move, save }
}
