/**
 * Rungs 1 to 3: items that stand in both splits, each rate against its own side.
 *
 * @import { Place, RowsCheck, RowsFinding, RowsSummary, TablePage } from '../types.d.ts'
 * @import { PanelProps } from './ngrams.js'
 */

import { el } from '../lib/dom.js'
import { count, listed, percent, plural } from '../lib/format.js'
import { headRow, scroller, tag, toggle } from './controls.js'
import { howLink } from './how.js'
import { itemView } from './item.js'
import { markCell } from './marks.js'
import { exportButtons, lookTable, needsResult, panelOf, position } from './panel.js'
import { stampView } from './stamp.js'

/** @type {[string, string][]} */
const SUBSETS = [
  ['', 'all checks'],
  ['exact', 'exact'],
  ['normalized', 'normalized only'],
  ['identifier', 'identifiers'],
]

/** @param {PanelProps} props */
export function rowsView({ rung, stale, answerable, settings, withText, open, marks, step, act }) {
  const { summary, page } = rung
  const tools = el(
    'div',
    { class: 'tools', role: 'group', 'aria-label': 'Settings of this result' },
    toggle('drop a, an and the (English, step L9)', settings.strip_articles, (on) =>
      act.set('strip_articles', on),
    ),
    el('span', { class: 'tools-gap' }),
    exportButtons({ rung: 'rows', enabled: answerable, withText, act }),
  )
  return panelOf(
    { stale, tools },
    summary ? checks(summary) : null,
    summary && page
      ? findings({ rung, answerable, open, marks, page, step, act })
      : needsResult(rung),
    summary && stampView(summary.stamp, act),
  )
}

/** @param {RowsSummary} summary */
function checks(summary) {
  const { transform, further, identifier_note: note } = summary
  return el(
    'div',
    { class: 'two' },
    el(
      'div',
      null,
      scroller('Items in both sides', rateTable(summary)),
      el(
        'p',
        { class: 'hint' },
        `Normalized by ${transform}. Blank rows count in each total; there is no pooled rate, since the two sides differ in size.`,
      ),
      note === 'serial' &&
        el(
          'p',
          { class: 'callout' },
          'Ids on both sides are plain serial numbers, so equal ones mean little.',
        ),
    ),
    el(
      'div',
      null,
      scroller('Repeats', repeatTable(summary)),
      el(
        'p',
        { class: 'hint' },
        `Folding adds ${plural(further.items, 'item')} that no exact key holds, and ${plural(further.rows, 'further test row')}.`,
      ),
    ),
  )
}

/** @param {RowsSummary} summary */
function rateTable(summary) {
  const { counts } = summary
  /** @param {string} name @param {RowsCheck} check */
  const row = (name, check) =>
    el(
      'tr',
      null,
      el('th', { scope: 'row' }, name),
      el('td', { 'data-number': true }, count(check.items)),
      rate(check.test_rows, check.test_share),
      rate(check.train_rows, check.train_share),
    )
  return el(
    'table',
    { class: 'data small' },
    el('caption', null, 'Items in both sides ', howLink('exact', 'items in both sides')),
    headRow([
      'Check',
      ['Items', true],
      [`Test rows of ${count(counts.test)}`, true],
      [`Training rows of ${count(counts.train)}`, true],
    ]),
    el(
      'tbody',
      null,
      row('Exact', summary.exact),
      row('Normalized', summary.normalized),
      summary.identifier_note === 'no-id'
        ? noIdRow()
        : row('Identifier, beside', summary.identifier),
    ),
  )
}

function noIdRow() {
  return el(
    'tr',
    { 'data-quiet': true },
    el('th', { scope: 'row' }, 'Identifier, beside'),
    el('td', { colspan: '3' }, 'no id column on one side'),
  )
}

/**
 * @param {number} rows
 * @param {number | null} share
 */
function rate(rows, share) {
  return el('td', { 'data-number': true }, `${count(rows)} · ${percent(share)}`)
}

/** @param {RowsSummary} summary */
function repeatTable({ repeats, counts }) {
  const lines = /** @type {const} */ ([
    ['Test, exact', repeats.test.exact, counts.test],
    ['Test, normalized', repeats.test.normalized, counts.test],
    ['Training, exact', repeats.train.exact, counts.train],
    ['Training, normalized', repeats.train.normalized, counts.train],
  ])
  return el(
    'table',
    { class: 'data small' },
    el('caption', null, 'Repeats inside each side ', howLink('normalized', 'repeats')),
    headRow(['Side and key', ['Groups', true], ['Rows in them', true], ['Effective rows', true]]),
    el(
      'tbody',
      null,
      ...lines.map(([name, repeat, of]) =>
        el(
          'tr',
          { 'data-quiet': repeat.groups === 0 },
          el('th', { scope: 'row' }, name),
          el('td', { 'data-number': true }, count(repeat.groups)),
          el('td', { 'data-number': true }, count(repeat.rows)),
          el('td', { 'data-number': true }, `${count(repeat.effective)} of ${count(of)}`),
        ),
      ),
    ),
  )
}

/**
 * @param {Pick<PanelProps, 'rung' | 'answerable' | 'open' | 'marks' | 'step' | 'act'> & { page: TablePage<RowsFinding> }} props
 */
function findings({ rung, answerable, open, marks, page, step, act }) {
  const at = page.rows.findIndex((row) => row.at === rung.selected)
  const table = lookTable(
    'rows',
    { rung, page, subsets: SUBSETS, step, enabled: answerable, act },
    {
      caption: 'Items found on both sides, with the lines to open',
      columns: [...COLUMNS, itemMark(marks)],
      keyOf: (row) => row.at,
      empty: 'No item stands on both sides under this check.',
    },
  )
  const read = itemView({
    item: rung.item,
    error: rung.pairError,
    position: position(page, at),
    open,
    marks,
    act,
  })
  return el('div', { class: 'split' }, table, read)
}

/** @type {import('./table.js').Column<RowsFinding>[]} */
const COLUMNS = [
  { id: 'match', head: 'Match', cell: ({ match }) => match },
  { id: 'text', head: 'Item', cell: itemCell },
  { id: 'test', head: 'In test', cell: ({ test }) => places(test) },
  { id: 'train', head: 'In training', cell: ({ train }) => places(train) },
]

/**
 * An item stands for its rows: the first one that is marked speaks for it.
 *
 * @param {PanelProps['marks']} marks
 * @returns {import('./table.js').Column<RowsFinding>}
 */
function itemMark({ of }) {
  /** @param {RowsFinding} finding */
  const said = ({ test }) => test.rows.map(({ record }) => of[record]).find(Boolean)
  return { id: 'mark', head: 'Mark', cell: (finding) => markCell(said(finding)), beside: said }
}

/** @param {RowsFinding} finding */
function itemCell({ text, differs }) {
  const mark = tag('differs in a number, sign or symbol', 'stale')
  return [el('bdi', { class: 'item' }, text), differs && mark]
}

/** @param {{ rows: Place[], more: number }} side */
function places({ rows, more }) {
  const lined = rows.every(({ line }) => line !== null)
  const numbers = rows.map(({ record, line }) => count(lined ? Number(line) : record))
  const noun = lined ? 'line' : 'record'
  const shown = more ? `${numbers.join(', ')} and ${count(more)} more` : listed(numbers)
  return `${noun}${rows.length + more === 1 ? '' : 's'} ${shown}`
}
