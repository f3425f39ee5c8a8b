/**
 * The answer to the whole question: how many test rows any rung caught, and what can be done about it.
 *
 * @import { BandName, OverviewSummary, TabName } from '../types.d.ts'
 * @import { State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, listed, percent, plural } from '../lib/format.js'
import { button } from './controls.js'

/** @typedef {import('./answer.js').Headline} Headline */

/** @type {Record<Exclude<BandName, 'none'>, (rows: number, n: number) => string>} */
const CAUGHT = {
  exact: (rows) => `${count(rows)} ${stands(rows)} in it word for word`,
  normalized: (rows) => `${count(rows)} ${stands(rows)} in it once case and punctuation are folded`,
  ngrams: (rows, n) => `${count(rows)} ${rows === 1 ? 'shares' : 'share'} a run of ${n} tokens`,
  rules: (rows) => `${count(rows)} only ${rows === 1 ? 'meets' : 'meet'} a published rule`,
  meaning: (rows) => `${count(rows)} only ${rows === 1 ? 'reads' : 'read'} alike`,
}

/** @param {number} rows */
function stands(rows) {
  return rows === 1 ? 'stands' : 'stand'
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
    rest: judged === 0 ? '' : 'test rows share text with the training file',
    more: [
      caught === 0
        ? 'No rung caught a row. A rewording or a translation passes these checks unseen.'
        : `Each counted once, on its lowest rung: ${listed(how)}.`,
      apart(unjudged, ngrams.summary),
    ],
    figures: [
      {
        name: 'Caught by some rung',
        value: percent(rows ? caught / rows : null),
        of: `${count(caught)} of ${count(rows)}`,
      },
      {
        name: 'Caught by none',
        value: percent(rows ? none / rows : null),
        of: `${count(none)} of ${count(rows)}`,
      },
      { name: 'Not judged by any rung', value: count(unjudged), of: `of ${count(rows)}` },
    ],
  }
}

/**
 * @param {number} unjudged
 * @param {import('../types.d.ts').NgramSummary | null} summary
 */
function apart(unjudged, summary) {
  const any = unjudged ? `${plural(unjudged, 'row')} could be judged by no rung.` : ''
  if (!summary || summary.short + summary.blank === 0) return any
  const { short, blank, stamp } = summary
  const wordless = blank ? ` and ${plural(blank, 'row')} without text` : ''
  return `The n-gram rung could not judge ${plural(short, 'row')} under ${stamp.n} tokens${wordless}. ${any}`
}

/**
 * What to do with the answer. Always there, so that nothing moves when a result comes.
 *
 * @param {{ enabled: boolean, tab: TabName, onClean: () => void, act: Actions }} props
 */
export function actions({ enabled, tab, onClean, act }) {
  const title = enabled ? undefined : 'Comes with a result of the files and settings above'
  const off = { disabled: !enabled, title }
  return el(
    'div',
    { class: 'give acts', role: 'group', 'aria-label': 'With this result' },
    button('Read the pairs', () => read(tab, act), { ...off, kind: 'primary' }),
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
  if (tab === 'meaning') act.openTab('overview')
  const table = document.querySelector('.table-side tbody')
  const row = table?.querySelector('tr[aria-current] .opener') ?? table?.querySelector('.opener')
  if (row instanceof HTMLElement) row.focus()
  document.querySelector('.tabbar')?.scrollIntoView({ block: 'start' })
}
