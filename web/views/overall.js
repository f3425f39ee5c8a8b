/**
 * The answer to the whole question: how many test rows any rung caught, and what can be done about it.
 *
 * @import { BandName, OverviewSummary, TabName } from '../types.d.ts'
 * @import { State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, listed, percent, plural, verb } from '../lib/format.js'
import { button } from './controls.js'
import { verdictRules } from './names.js'

/** @typedef {import('./answer.js').Headline} Headline */

/** @type {Record<Exclude<BandName, 'none'>, (rows: number, n: number) => string>} */
const CAUGHT = {
  exact: (rows) => `${plural(rows, 'stands', 'stand')} in it word for word`,
  normalized: (rows) =>
    `${plural(rows, 'stands', 'stand')} in it once case and punctuation are folded`,
  ngrams: (rows, n) => `${plural(rows, 'shares', 'share')} a run of ${n} tokens`,
  rules: (rows) => `${plural(rows, 'only meets', 'only meet')} a published rule`,
  meaning: (rows) => `${plural(rows, 'only reads', 'only read')} alike`,
}

/**
 * @param {OverviewSummary} summary
 * @param {State['rungs']} rungs
 * @returns {Headline}
 */
export function overallHeadline(summary, { ngrams }) {
  const { rows, unjudged } = summary
  const rowsOf = Object.fromEntries(summary.lowest.map(({ name, count: found }) => [name, found]))
  const none = rowsOf.none ?? 0
  const caught = rows - none - unjudged
  const judged = rows - unjudged
  const n = ngrams.summary?.stamp.n ?? 13
  const how = Object.entries(CAUGHT).flatMap(([name, say]) =>
    rowsOf[name] ? [say(rowsOf[name], n)] : [],
  )
  return {
    lead: judged === 0 ? 'Nothing could be checked' : `${count(caught)} of ${count(rows)}`,
    rest:
      judged === 0
        ? ''
        : `test ${rows === 1 ? 'row' : 'rows'} ${verb(caught, rows, 'shares', 'share')} text with the training file`,
    more: [
      caught === 0
        ? 'No rung caught a row. A rewording or a translation passes these checks unseen.'
        : `Each counted once, on its lowest rung: ${listed(how)}.`,
      apart(unjudged, ngrams.summary),
    ].filter(Boolean),
    figures: overallFigures(
      [percent(rows ? caught / rows : null), `${count(caught)} of ${count(rows)}`],
      [percent(rows ? none / rows : null), `${count(none)} of ${count(rows)}`],
      [count(unjudged), `of ${count(rows)}`],
    ),
  }
}

/** @type {[value: string, of: string]} */
const UNKNOWN = ['–', 'not known yet']

/**
 * The figures of the whole ladder, or where they will stand.
 *
 * @param {[value: string, of: string]} caught
 * @param {[value: string, of: string]} none
 * @param {[value: string, of: string]} unjudged
 */
export function overallFigures(caught = UNKNOWN, none = UNKNOWN, unjudged = UNKNOWN) {
  return Object.entries({
    'Caught by some rung': caught,
    'Caught by none': none,
    'Not judged by any rung': unjudged,
  }).map(([name, [value, of]]) => ({ name, value, of }))
}

/**
 * @param {number} unjudged
 * @param {import('../types.d.ts').NgramSummary | null} summary
 */
function apart(unjudged, summary) {
  const any = unjudged ? `${plural(unjudged, 'row')} could be judged by no rung.` : ''
  if (!summary || summary.short + summary.blank === 0) return any
  return `The n-gram rung could not judge ${unjudgedRows(summary)}. ${any}`.trim()
}

/**
 * "4 rows under 13 tokens and 1 row without text"; what is none is not told.
 *
 * @param {import('../types.d.ts').NgramSummary} summary
 */
export function unjudgedRows({ short, blank, stamp }) {
  return listed([
    ...(short ? [`${plural(short, 'row')} under ${stamp.n} tokens`] : []),
    ...(blank ? [`${plural(blank, 'row')} without text`] : []),
  ])
}

/** @type {Record<ReadTab, (summary: any) => number>} */
const FOUND = {
  overview: ({ lowest }) =>
    lowest
      .filter((/** @type {{ name: string }} */ { name }) => name !== 'none')
      .reduce(
        (/** @type {number} */ sum, /** @type {{ count: number }} */ one) => sum + one.count,
        0,
      ),
  rows: ({ exact, normalized, identifier }) =>
    Math.max(exact.items, normalized.items, identifier.items),
  ngrams: ({ flagged }) => flagged,
  rules: ({ rules }) => Math.max(0, ...verdictRules(rules).map(({ flagged }) => flagged)),
}

/** @typedef {'overview' | 'rows' | 'ngrams' | 'rules'} ReadTab */

/**
 * The tab whose pairs are read from `tab`: these two have none of their own.
 *
 * @param {TabName} tab
 * @returns {ReadTab}
 */
function readingTab(tab) {
  return tab === 'meaning' || tab === 'train' ? 'overview' : tab
}

/**
 * How many flagged rows or items there are to read from a tab.
 *
 * @param {TabName} tab
 * @param {State['rungs']} rungs
 * @param {Record<string, boolean>} answerable
 */
export function pairsToRead(tab, rungs, answerable) {
  const name = readingTab(tab)
  return answerable[name] ? FOUND[name](rungs[name].summary) : 0
}

/**
 * What to do with the answer. Always there, so that nothing moves when a result comes.
 *
 * @param {{ enabled: boolean, pairs: number, tab: TabName, onClean: () => void, act: Actions }} props
 *   `pairs` that can be read from here
 */
export function actions({ enabled, pairs, tab, onClean, act }) {
  const title = enabled ? undefined : 'Comes with a result of the files and settings above'
  const off = { disabled: !enabled, title }
  const none = enabled ? 'No row is flagged here, so there is no pair to read' : title
  return el(
    'div',
    { class: 'give acts', role: 'group', 'aria-label': 'With this result' },
    button('Read the pairs', () => read(tab, act), {
      disabled: pairs === 0,
      title: pairs === 0 ? none : undefined,
      kind: 'primary',
    }),
    button('Download without flagged rows', onClean, off),
    button('Copy sentence', () => act.cite('sentence'), off),
    button('Copy Markdown table', () => act.cite('markdown'), off),
    button('JSON report', () => act.save('check.json'), {
      ...off,
      label: 'Download the JSON report',
    }),
    button('HTML report', act.saveReport, { ...off, label: 'Download the HTML report' }),
  )
}

/**
 * To the open row of the table, from where j, k and 1 to 5 do the rest.
 *
 * @param {TabName} tab
 * @param {Actions} act
 */
function read(tab, act) {
  if (readingTab(tab) !== tab) act.openTab(readingTab(tab))
  requestAnimationFrame(focusOpenRow) // once the tab is drawn
}

function focusOpenRow() {
  const table = document.querySelector('.table-side tbody')
  const row = table?.querySelector('tr[aria-current] .opener') ?? table?.querySelector('.opener')
  if (row instanceof HTMLElement) row.focus()
  document.querySelector('.tabbar')?.scrollIntoView({ block: 'start' })
}
