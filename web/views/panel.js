/**
 * What every rung's panel has: a filter, its downloads, and what stands there before a result.
 *
 * @import { LookName, RungName } from '../types.d.ts'
 * @import { Rung } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { button, choice, toggle } from './controls.js'

/**
 * Which rows the table lists.
 *
 * @param {LookName} name
 * @param {Rung} rung
 * @param {[string, string][]} subsets
 * @param {Actions} act
 */
export function tableTools(name, rung, subsets, act) {
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

/** @param {Rung} rung */
export function needsResult({ status, error }) {
  const text =
    status === 'running'
      ? 'The table appears here when the check is done.'
      : status === 'failed'
        ? (error?.message ?? 'The check failed.')
        : 'The rows appear here once both sides are in and this check has run.'
  return el('div', { class: 'panel-empty' }, el('p', { class: 'empty' }, text))
}
