/**
 * What every rung's panel has: a filter, its downloads, and what stands there before a result.
 *
 * @import { LookName, RungName, TablePage } from '../types.d.ts'
 * @import { TableProps } from './table.js'
 * @import { Rung } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count } from '../lib/format.js'
import { button, choice, toggle } from './controls.js'
import { dataTable } from './table.js'

/**
 * The frame of a panel: what is set, and under it what is shown, which fades where it is outdated.
 *
 * @param {{ stale: boolean, tools?: HTMLElement, name?: string }} props
 * @param {...(import('../lib/dom.js').Child)} shown
 */
export function panelOf({ stale, tools, name }, ...shown) {
  return el(
    'div',
    { class: name ? `panel ${name}` : 'panel', 'data-stale': stale },
    tools,
    el('div', { class: 'panel-shown' }, ...shown),
  )
}

/**
 * Which rows the table lists.
 *
 * @param {LookName} name
 * @param {Rung} rung
 * @param {[string, string][]} subsets
 * @param {Actions} act
 */
function tableTools(name, rung, subsets, act) {
  return el(
    'div',
    { class: 'table-tools' },
    choice('Show', rung.ask.subset, subsets, (subset) => act.showTable(name, { subset })),
    filterBox(name, rung, act),
  )
}

/**
 * @param {LookName} name
 * @param {Rung} rung
 * @param {Actions} act
 */
function filterBox(name, rung, act) {
  return el(
    'label',
    { class: 'field' },
    el('span', { class: 'unseen' }, 'Filter rows by text'),
    el('input', {
      type: 'search',
      class: 'filter',
      placeholder: 'Filter',
      value: rung.ask.filter,
      on: { input: (event) => act.showTable(name, { filter: event.target.value }) },
    }),
  )
}

/**
 * @param {{ rung: RungName, enabled: boolean, withText: boolean, act: Actions }} props
 */
export function exportButtons({ rung, enabled, withText, act }) {
  const title = enabled
    ? undefined
    : 'Downloads come back with a result of the files and settings above'
  return el(
    'span',
    { class: 'exports' },
    toggle('with text', withText, act.switchText),
    button('CSV', () => act.save(`${rung}.csv`), {
      disabled: !enabled,
      title,
      label: 'Download CSV',
    }),
    button('JSON', () => act.save(`${rung}.json`), {
      disabled: !enabled,
      title,
      label: 'Download JSON',
    }),
  )
}

/**
 * The table of a look: which page, in which order, and what a click does is the same for all.
 *
 * @template R
 * @param {LookName} name
 * @param {{ rung: Rung, page: TablePage<R>, subsets: [string, string][], step: number, enabled: boolean, act: Actions }} props
 * @param {Pick<TableProps<R>, 'caption' | 'columns' | 'keyOf' | 'empty' | 'quiet'>} own
 */
export function lookTable(name, { rung, page, subsets, step, enabled, act }, own) {
  return dataTable({
    ...own,
    page,
    ask: rung.ask,
    step,
    selected: rung.selected,
    disabled: !enabled,
    tools: tableTools(name, rung, subsets, act),
    onOpen: (key) => act.openRow(name, key),
    onAsk: (patch) => act.showTable(name, patch),
  })
}

/**
 * Which of all rows is open: "3 of 1,319".
 *
 * @param {{ offset: number, total: number }} page
 * @param {number} at place on the page, -1 where the open row is not on it
 */
export function position({ offset, total }, at) {
  return at < 0 ? '' : `${count(offset + at + 1)} of ${count(total)}`
}

/** @param {Rung} rung */
export function needsResult({ status, error }) {
  const text =
    status === 'running'
      ? 'The table appears here when the check is done.'
      : status === 'failed'
        ? (error?.message ?? 'The check failed.')
        : 'The rows appear here once both sides are in and this check has run.'
  return waitingSplit(text)
}

/**
 * The table and the pair before they are there, as large as they will be.
 *
 * @param {string} text
 */
export function waitingSplit(text) {
  return el(
    'div',
    { class: 'split', 'data-waiting': true },
    el('div', { class: 'table-side' }, el('p', { class: 'empty' }, text)),
    el(
      'div',
      { class: 'pair' },
      el(
        'div',
        { class: 'panes' },
        waitingPane('Test', 'The row that is judged, with every shared run marked.'),
        waitingPane('Training', 'The training row that holds most of it.'),
      ),
    ),
  )
}

/**
 * @param {string} title
 * @param {string} text
 */
function waitingPane(title, text) {
  return el(
    'section',
    { class: 'pane', 'data-empty': true, 'aria-label': `${title} text` },
    el('p', { class: 'pane-head' }, title),
    el('p', { class: 'empty' }, text),
  )
}
