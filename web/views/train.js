/**
 * The other way round: training rows that hit, with the longest run each shares with a test row.
 *
 * @import { TrainRow } from '../types.d.ts'
 * @import { Rung } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, plural, verb } from '../lib/format.js'
import { howLink } from './how.js'
import { lookTable, panelOf } from './panel.js'
import { stampView } from './stamp.js'

/** @type {[string, string][]} */
const SUBSETS = [
  ['hit', 'rows that hit'],
  ['all', 'all training rows'],
]

/**
 * @param {{ rung: Rung, source: Rung, stale: boolean, answerable: boolean, step: number, act: Actions }} props
 *   `source` is the n-gram result that the rows are taken from
 */
export function trainView({ rung, source, stale, answerable, step, act }) {
  const { page } = rung
  const { summary } = source
  if (!page || !summary) {
    const text = 'The training rows appear here once the n-gram check has run.'
    return el('div', { class: 'panel-empty' }, el('p', { class: 'empty' }, text))
  }
  const { train_rows: rows, train_rows_hit: hit, stamp } = summary
  return panelOf(
    { stale },
    el(
      'p',
      { class: 'panel-lead' },
      `${count(hit)} of ${plural(rows, 'training row')} ${verb(hit, rows, 'shares', 'share')} a run of ${stamp.n} tokens or more with some test row; rows that stand whole in the test file are listed too. `,
      howLink('train', 'training rows that hit'),
    ),
    lookTable(
      'train',
      { rung, page, subsets: SUBSETS, step, enabled: answerable, act },
      {
        caption: 'Training rows with the longest run each shares with a test row',
        columns: COLUMNS,
        keyOf: ({ index }) => index,
        quiet: (row) => !row.hit,
        empty: 'No training row shares a run of that length.',
      },
    ),
    stampView(stamp, act),
  )
}

/** @type {import('./table.js').Column<TrainRow>[]} */
const COLUMNS = [
  {
    id: 'label',
    head: 'Training row',
    cell: ({ label, record, hit }) => [
      flag(hit),
      el('bdi', null, label || `record ${count(record)}`),
    ],
  },
  {
    id: 'longest_run',
    head: 'Longest run',
    hint: 'Tokens of the longest run shared with any test row',
    number: true,
    sort: true,
    worst: true,
    cell: ({ longest_run: run }) => (run ? count(run) : 'under 5'),
  },
  { id: 'exact', head: 'Whole row', cell: ({ exact, normalized }) => rowMatch(exact, normalized) },
  { id: 'record', head: 'Record', number: true, sort: true, cell: ({ record }) => count(record) },
  {
    id: 'line',
    head: 'Line',
    number: true,
    cell: ({ line }) => (line === null ? 'n/a' : count(line)),
  },
]

/** @param {boolean} hit */
export function flag(hit) {
  if (!hit) return el('span', { class: 'flag', 'aria-hidden': 'true' })
  return el(
    'span',
    { class: 'flag', title: 'flagged' },
    '⚑',
    el('span', { class: 'unseen' }, ' flagged, '),
  )
}

/**
 * @param {boolean | null} exact
 * @param {boolean | null} normalized
 */
function rowMatch(exact, normalized) {
  if (exact) return 'exact'
  if (normalized) return 'normalized'
  return el('span', { class: 'na' }, exact === null ? 'not run' : 'no')
}
