/**
 * Rung 4: settings, the rows worst first, and the pair that is being read.
 *
 * @import { NgramRow, NgramSummary } from '../types.d.ts'
 * @import { Rung, State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, percent } from '../lib/format.js'
import { dirtyFigure } from './charts.js'
import { button, choice, numberControl } from './controls.js'
import { markColumn } from './marks.js'
import { TOKEN_NAMES } from './names.js'
import { pairView } from './pair.js'
import { exportButtons, lookTable, needsResult, panelOf, position } from './panel.js'
import { stampView } from './stamp.js'

/** @type {[string, string][]} */
const SUBSETS = [
  ['checkable', 'checkable'],
  ['flagged', 'flagged'],
  ['short', 'too short'],
  ['blank', 'without text'],
  ['all', 'all'],
]

/** @typedef {{ rung: Rung, stale: boolean, answerable: boolean, settings: State['settings'], drafts: State['drafts'], bad: string[], withText: boolean, open: number[], marks: State['marks'], narrow: boolean, step: number, act: Actions }} PanelProps */

/** @param {PanelProps} props */
export function ngramsView(props) {
  const { rung, stale, act } = props
  return panelOf(
    { stale, tools: settingsBar(props) },
    hint(rung.summary),
    rung.summary && rung.page ? reading(props) : needsResult(rung),
    rung.summary && spread(rung.summary, props.narrow),
    rung.summary && stampView(rung.summary.stamp, act),
  )
}

/** @param {PanelProps} props */
function settingsBar({ answerable, settings, drafts, bad, withText, act }) {
  /** @type {[string, string][]} */
  const kinds = Object.entries(TOKEN_NAMES).map(([value, { choice: text }]) => [value, text])
  return el(
    'div',
    { class: 'tools', role: 'group', 'aria-label': 'Settings of this result' },
    numberControl({
      name: 'n',
      text: drafts.n,
      value: settings.n,
      min: 5,
      max: 25,
      unit: 'tokens',
      bad: bad.includes('n'),
      onText: (text) => act.draft('n', text),
    }),
    el(
      'span',
      { class: 'presets' },
      ...[8, 13].map((n) =>
        button(String(n), () => act.draft('n', String(n)), {
          pressed: settings.n === n,
          label: `n = ${n}`,
        }),
      ),
    ),
    numberControl({
      name: 'threshold',
      text: drafts.threshold,
      value: settings.threshold,
      min: 0,
      max: 100,
      unit: '%',
      bad: bad.includes('threshold'),
      onText: (text) => act.draft('threshold', text),
    }),
    choice('tokens', settings.tokens, kinds, (value) => act.set('tokens', value)),
    el('span', { class: 'tools-gap' }),
    exportButtons({ rung: 'ngrams', enabled: answerable, withText, act }),
  )
}

/**
 * @param {NgramSummary} summary
 * @param {boolean} narrow
 */
function spread({ histogram, stamp }, narrow) {
  if (!histogram) return null
  const { threshold } = stamp
  return el('div', { class: 'spread' }, dirtyFigure({ ...histogram, threshold, narrow }))
}

/** @param {NgramSummary | null} summary */
function hint(summary) {
  if (!summary?.tokens_hint) return null
  return el(
    'p',
    { class: 'callout' },
    'These texts have very long tokens, as scripts without spaces do. Character tokens fit them better: choose them at "tokens".',
  )
}

/** @param {PanelProps} props */
function reading({ rung, answerable, open, marks, step, act }) {
  const page = /** @type {import('../types.d.ts').TablePage<NgramRow>} */ (rung.page)
  const at = page.rows.findIndex(({ index }) => index === rung.selected)
  return el(
    'div',
    { class: 'split' },
    lookTable(
      'ngrams',
      { rung, page, subsets: SUBSETS, step, enabled: answerable, act },
      {
        caption: 'Test rows with what each shares with the training rows',
        columns: [...COLUMNS, markColumn(marks)],
        keyOf: ({ index }) => index,
        quiet: ({ flagged }) => !flagged,
        empty: EMPTY[rung.ask.subset] ?? 'No row passes this filter.',
      },
    ),
    pairView({
      pair: rung.pair,
      error: rung.pairError,
      n: rung.summary.stamp.n,
      position: position(page, at),
      verdicts: rung.pair?.verdicts ?? null,
      open,
      marks,
      act,
    }),
  )
}

/** @type {Record<string, string>} */
const EMPTY = {
  flagged: 'No row is flagged at these settings.',
  short: 'No row is too short.',
  blank: 'Every row has text.',
}

/** @type {import('./table.js').Column<NgramRow>[]} */
const COLUMNS = [
  { id: 'label', head: 'Row', sort: true, cell: rowName },
  { id: 'tokens', head: 'Tokens', number: true, sort: true, cell: ({ tokens }) => count(tokens) },
  {
    id: 'dirty_share',
    worst: true,
    head: 'Dirty, %',
    hint: 'Share of the row’s tokens inside shared runs; ties by span, then file order',
    number: true,
    sort: true,
    cell: shareCell,
  },
  {
    id: 'longest_span',
    head: 'Span',
    hint: 'Tokens in the longest run held by one training row',
    number: true,
    sort: true,
    cell: ({ longest_span: span }) => known(span),
  },
  {
    id: 'windows',
    head: 'Windows',
    hint: 'Positions at which n tokens match',
    number: true,
    sort: true,
    narrow: true,
    cell: ({ windows }) => known(windows),
  },
  {
    id: 'best_train_index',
    head: 'Found in',
    hint: 'The training row that holds most of it',
    narrow: true,
    sort: true,
    cell: trainName,
  },
]

/** @param {number | null} value */
function known(value) {
  return value === null ? '' : count(value)
}

/** @param {NgramRow} row */
function rowName({ label, record, flagged, state }) {
  const flag = flagged
    ? el(
        'span',
        { class: 'flag', title: 'flagged' },
        '⚑',
        el('span', { class: 'unseen' }, ' flagged, '),
      )
    : el('span', { class: 'flag', 'aria-hidden': 'true' })
  const note =
    state === 'checked' ? null : el('small', null, state === 'short' ? ' too short' : ' no text')
  return [flag, el('bdi', null, label || `record ${count(record)}`), note]
}

/** @param {NgramRow} row */
function shareCell({ dirty_share: share, state }) {
  if (state !== 'checked' || share === null) return el('span', { class: 'na' }, 'not judged')
  return el(
    'span',
    { class: 'share' },
    el('span', { class: 'share-bar', 'aria-hidden': 'true', style: { '--share': String(share) } }),
    el('span', { class: 'share-value' }, percent(share)),
  )
}

/** @param {NgramRow} row */
function trainName({ best_train_label: label, best_train_record: record }) {
  if (record === null) return el('span', { class: 'na' }, 'none')
  return el('bdi', null, label || `record ${count(record)}`)
}
