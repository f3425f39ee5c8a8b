/**
 * Every rung at once: each test row on the lowest rung that catches it, the rows of a band to read, and
 * what each rung asks, found, and cannot see.
 *
 * @import { LookName, OverviewRow, OverviewSummary, TabName } from '../types.d.ts'
 * @import { Rung, State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, percent, plural } from '../lib/format.js'
import { BAND_COLOURS, lowestChart, numbersTable } from './charts.js'
import { button, headRow, scroller, tag } from './controls.js'
import { howLink } from './how.js'
import { ladderSteps, waiting } from './ladder.js'
import { markColumn, markTally } from './marks.js'
import { BAND_TITLES } from './names.js'
import { pairView } from './pair.js'
import { lookTable, panelOf, position, waitingSplit } from './panel.js'
import { stampPlace, stampView } from './stamp.js'
import { flag } from './train.js'

/** @typedef {import('./how.js').Topic} Topic */

/** @type {Record<string, { asks: string, blind: string, how: Topic }>} */
const ABOUT = {
  exact: {
    asks: 'Is the whole row in both files, as written?',
    blind: 'One changed comma hides a row from it.',
    how: 'exact',
  },
  normalized: {
    asks: 'Is it, once case, punctuation and spacing are folded?',
    blind: 'A row inside a longer row stays unseen.',
    how: 'normalized',
  },
  ngram: {
    asks: 'Does it share a long run with one training row?',
    blind: 'Rows under n tokens are not judged; rewordings pass.',
    how: 'ngrams',
  },
  rule: {
    asks: 'What would four published reports have called it?',
    blind: 'The reports disagree with each other.',
    how: 'rules',
  },
  meaning: {
    asks: 'Does a training row say the same in other words?',
    blind: 'A negation or another number reads alike.',
    how: 'meaning',
  },
  id: {
    asks: 'Is the id in both files?',
    blind: 'Serial numbers match by accident.',
    how: 'identifier',
  },
}

/**
 * @typedef {{ rungs: State['rungs'], meaning: State['meaning'], stale: Record<LookName, boolean>, answerable: Record<LookName, boolean>, open: number[], marks: State['marks'], narrow: boolean, step: number, act: Actions }} OverviewProps
 */

/** @param {OverviewProps} props */
export function overviewView(props) {
  const { rungs, stale, act } = props
  const { summary, page } = rungs.overview
  const stamped = rungs.ngrams.summary ?? rungs.rows.summary ?? rungs.rules.summary
  return panelOf(
    { stale: stale.overview },
    lowest(page ? summary : null, props),
    summary && page ? reading(props) : waitingSplit(waitingText(rungs)),
    checksTable(props),
    stamped ? stampView(stamped.stamp, act) : stampPlace(),
  )
}

/** @param {State['rungs']} rungs */
function waitingText({ ngrams }) {
  return ngrams.status === 'failed'
    ? (ngrams.error?.message ?? 'The check failed.')
    : 'Each test row appears here once, on the lowest rung that catches it, when the checks have run.'
}

/**
 * @param {OverviewSummary | null} summary
 * @param {OverviewProps} props
 */
function lowest(summary, { rungs, marks, narrow, answerable, act }) {
  const bands = bandsOf(summary)
  const known = knownBands(bands)
  const all = summary?.rows ?? 0
  const { subset } = rungs.overview.ask
  /** @param {string} name */
  const pick = (name) =>
    answerable.overview && act.showTable('overview', { subset: subset === name ? '' : name })
  const says = summary
    ? `${known.map(({ label, count: rows }) => `${label} ${count(rows)}`).join(', ')}, of ${plural(all, 'test row')}.`
    : 'Nothing counted yet.'
  return el(
    'figure',
    { class: 'chart bands' },
    el(
      'figcaption',
      null,
      'Each test row once, on the lowest rung that catches it ',
      howLink('overview', 'the lowest rung'),
    ),
    el(
      'div',
      {
        class: 'chart-picture band-chart',
        role: 'img',
        'aria-label': says,
        on: { click: ({ target }) => target.dataset?.band && pick(target.dataset.band) },
      },
      summary ? lowestChart({ bands: known, narrow }) : el('span', { class: 'band-empty' }),
    ),
    el(
      'div',
      { class: 'band-buttons', role: 'group', 'aria-label': 'Show only the rows of one band' },
      ...[...bands, identifierBand(summary, rungs)].map((band) =>
        bandButton(band, all, subset === band.name, noCount(band, rungs), pick),
      ),
    ),
    markTally({ marks, act }),
    numbersTable(
      'Test rows by lowest rung',
      ['Lowest rung', 'Rows', 'Share of all'],
      known.map(({ label, count: rows }) => [label, count(rows), percent(all ? rows / all : null)]),
    ),
  )
}

/** @typedef {{ name: string, label: string, count: number | null }} Band `count` null where no check says */

/**
 * Every band in the ladder's order.
 *
 * @param {OverviewSummary | null} summary
 * @returns {Band[]}
 */
export function bandsOf(summary) {
  const found = new Map(summary?.lowest.map(({ name, count: rows }) => [String(name), rows]))
  if (summary) found.set('unjudged', summary.unjudged)
  return Object.entries(BAND_TITLES).map(([name, label]) => ({
    name,
    label,
    count: found.get(name) ?? null,
  }))
}

/**
 * @param {Band[]} bands
 * @returns {(Band & { count: number })[]} those whose rung has run
 */
export function knownBands(bands) {
  return bands.flatMap(({ count: rows, ...band }) =>
    rows === null ? [] : [{ ...band, count: rows }],
  )
}

/**
 * Beside the ladder: rows whose id recurs.
 *
 * @param {OverviewSummary | null} summary
 * @param {State['rungs']} rungs
 * @returns {Band & { note?: string }}
 */
function identifierBand(summary, { rows }) {
  const band = {
    name: 'identifier',
    label: 'Identifier, beside',
    count: summary?.identifier ?? null,
  }
  return rows.summary?.identifier_note === 'no-id' ? { ...band, note: 'no id column' } : band
}

/**
 * Why a band has no count: its rung has not run, or cannot.
 *
 * @param {Band & { note?: string }} band
 * @param {State['rungs']} rungs
 */
function noCount({ name, note }, { rows, ngrams, rules }) {
  if (note) return note
  if (name === 'meaning') return 'not run'
  if ([rows, ngrams, rules].some(({ status }) => status === 'running')) return 'checking'
  return waiting(name === 'ngrams' ? ngrams : name === 'rules' ? rules : rows) || 'not run'
}

/**
 * @param {Band} band
 * @param {number} of
 * @param {boolean} pressed
 * @param {string} why there is no count, if there is none
 * @param {(name: string) => void} pick
 */
function bandButton({ name, label, count: rows }, of, pressed, why, pick) {
  return el(
    'button',
    {
      type: 'button',
      class: 'band',
      key: name,
      'data-band-name': name,
      'aria-pressed': String(pressed),
      'aria-disabled': rows === null ? 'true' : null,
      on: { click: () => rows !== null && pick(name) },
    },
    el('span', {
      class: 'swatch',
      'aria-hidden': 'true',
      style: { '--ink': BAND_COLOURS[name] ?? 'transparent' },
    }),
    el('span', null, label),
    el('b', null, rows === null ? '–' : count(rows)),
    el('small', null, rows === null ? why : percent(of ? rows / of : null)),
  )
}

/** @type {[string, string][]} */
const SUBSETS = [
  ['', 'all rows'],
  .../** @type {[string, string][]} */ (Object.entries(BAND_TITLES)),
  ['identifier', 'Identifier, beside'],
]

/** @param {OverviewProps} props */
function reading({ rungs, answerable, open, marks, step, act }) {
  const rung = /** @type {Rung & { page: import('../types.d.ts').TablePage<OverviewRow> }} */ (
    rungs.overview
  )
  const { page } = rung
  const at = page.rows.findIndex(({ index }) => index === rung.selected)
  return el(
    'div',
    { class: 'split' },
    lookTable(
      'overview',
      { rung, page, subsets: SUBSETS, step, enabled: answerable.overview, act },
      {
        caption: 'All test rows with what each rung says of them',
        columns: [...COLUMNS, markColumn(marks)],
        keyOf: ({ index }) => index,
        quiet: ({ lowest: band }) => band === 'none' || band === 'unjudged',
        empty: 'No row is in this band.',
      },
    ),
    pairView({
      pair: rung.pair,
      error: rung.pairError,
      n: rungs.ngrams.summary?.stamp.n ?? 13,
      position: position(page, at),
      verdicts: rung.pair?.verdicts ?? null,
      open,
      marks,
      act,
    }),
  )
}

/** @type {import('./table.js').Column<OverviewRow>[]} */
const COLUMNS = [
  {
    id: 'label',
    head: 'Row',
    cell: ({ label, record, lowest: band }) => [
      flag(band !== 'none' && band !== 'unjudged'),
      el('bdi', null, label || `record ${count(record)}`),
    ],
  },
  {
    id: 'lowest',
    head: 'Lowest rung',
    sort: true,
    cell: ({ lowest: band }) =>
      el(
        'span',
        { class: 'band-name', 'data-band-name': band, style: { '--ink': BAND_COLOURS[band] } },
        BAND_TITLES[band],
      ),
  },
  {
    id: 'dirty_share',
    head: 'Dirty, %',
    hint: 'Share of the row’s tokens inside shared runs',
    number: true,
    cell: ({ ngrams }) =>
      ngrams?.dirty_share == null
        ? el('span', { class: 'na' }, ngrams ? 'not judged' : 'not run')
        : percent(ngrams.dirty_share),
  },
  {
    id: 'longest_span',
    head: 'Span',
    hint: 'Tokens in the longest run held by one training row',
    number: true,
    narrow: true,
    cell: ({ ngrams }) => (ngrams?.longest_span == null ? '' : count(ngrams.longest_span)),
  },
  {
    id: 'rules',
    head: 'Rules that flag',
    narrow: true,
    cell: ({ rules }) =>
      rules === null ? el('span', { class: 'na' }, 'not run') : rules.map(ruleName).join(', '),
  },
]

/** @type {Record<string, string>} */
const RULE_NAMES = { gpt3: 'GPT-3', palm: 'PaLM', llama2_dirty: 'Llama 2', gpt4_any: 'GPT-4' }

/** @param {string} name */
function ruleName(name) {
  return RULE_NAMES[name] ?? name
}

/** @param {OverviewProps} props */
function checksTable({ rungs, stale, meaning, act }) {
  const steps = ladderSteps(rungs, stale, meaning)
  return scroller(
    'All checks',
    el(
      'table',
      { class: 'data overview' },
      el('caption', { class: 'unseen' }, 'All checks with their counts'),
      headRow([
        'Check',
        ['Test rows', true],
        ['Share, %', true],
        ['Not judged', true],
        'Asks',
        'Cannot see',
      ]),
      el('tbody', null, ...steps.map((step) => checkRow(step, act))),
    ),
  )
}

/**
 * @param {import('./ladder.js').Step} step
 * @param {Actions} act
 */
function checkRow({ id, label, tab, hits, of, share, apart, note, by, stale }, act) {
  const none = hits === null
  const counted = none
    ? (note ?? 'not run')
    : of === 0
      ? 'nothing could be checked'
      : `${count(hits)} of ${count(of)}`
  return el(
    'tr',
    { key: id, 'data-quiet': none },
    el(
      'th',
      { scope: 'row' },
      button(label, () => act.openTab(/** @type {TabName} */ (tab)), { kind: 'quiet' }),
      stale && tag('outdated', 'stale'),
      by && el('small', null, `most by ${by}`),
    ),
    el('td', { 'data-number': true }, counted),
    el('td', { 'data-number': true }, none || of === 0 ? 'n/a' : percent(share)),
    el('td', { 'data-number': true }, none ? 'n/a' : count(apart ?? 0)),
    el('td', { class: 'wrap' }, ABOUT[id].asks, ' ', howLink(ABOUT[id].how, label)),
    el('td', { class: 'wrap quiet' }, ABOUT[id].blind),
  )
}
