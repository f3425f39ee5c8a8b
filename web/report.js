/**
 * The result as one HTML file without scripts: for somebody who was not at the page. Built from the
 * same parts as the page, so every text of a file goes in as a text node.
 *
 * @import { OverviewSummary, PairSide, PairView, RungName, Stamp } from './types.d.ts'
 * @import { State } from './state.js'
 */

import { el } from './lib/dom.js'
import { count, percent, place, plural } from './lib/format.js'
import { pieces } from './lib/highlight.js'
import { BAND_COLOURS, chartFigure, dirtyFigure, lowestChart } from './views/charts.js'
import { ladderSteps } from './views/ladder.js'
import { MARK_TITLES, RUNG_TITLES } from './views/names.js'
import { overallHeadline } from './views/overall.js'
import { bandsOf, knownBands } from './views/overview.js'
import { stampWords } from './views/stamp.js'
import { sweepView } from './views/sweep.js'

/**
 * @param {{ state: State, rungs: RungName[], sentence: string, pairs: PairView[] }} props
 *   `rungs` whose results are those of the files and settings shown; `pairs` worst first, empty where
 *   the text of the files is left out
 */
export function reportPage({ state, rungs, sentence, pairs }) {
  const { names } = state.rungs[rungs[0] ?? 'ngrams']
  const title = `Leak Ladder: ${names.test} against ${names.train}`
  const overview = state.rungs.overview.live ? state.rungs.overview.summary : null
  const body = el(
    'main',
    null,
    el('h1', null, headLine(overview, state)),
    el(
      'p',
      { class: 'pairing' },
      el('bdi', null, names.test),
      ' against ',
      el('bdi', null, names.train),
    ),
    el('p', null, sentence),
    el('h2', null, 'Rung by rung'),
    rungTable(state, rungs),
    ...charts(state, rungs, overview),
    pairs.length > 0 &&
      el(
        'h2',
        null,
        pairs.length === 1 ? 'The worst pair' : `The ${count(pairs.length)} worst pairs`,
      ),
    ...pairs.map((pair) => pairPart(pair, state)),
    el('h2', null, 'Settings and files'),
    ...rungs.map((rung) => stampPart(RUNG_TITLES[rung], state.rungs[rung].summary.stamp)),
  )
  for (const link of body.querySelectorAll('a.how')) link.remove() // the method page stays behind
  const head = asText(el('title', null, title)) + wrapped('style', styles())
  const policy = "default-src 'none'; style-src 'unsafe-inline'"
  const metas = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">`
  return `<!doctype html>\n<html lang="en"><head>${metas}${head}</head><body>${asText(body)}</body></html>\n`
}

/**
 * Our own text, as it is: written out here, a closing tag would end the script of a saved copy.
 *
 * @param {string} tag
 * @param {string} text
 */
function wrapped(tag, text) {
  return `<${tag}>${text}</${tag}>`
}

/**
 * Texts of the files come out escaped.
 *
 * @param {Element} node
 */
function asText(node) {
  return new XMLSerializer().serializeToString(node)
}

/**
 * @param {OverviewSummary | null} overview
 * @param {State} state
 */
function headLine(overview, { rungs }) {
  if (!overview) return 'Test rows found in the training data'
  const { lead, rest } = overallHeadline(overview, rungs)
  return rest ? `${lead} ${rest}` : lead
}

/**
 * @param {State} state
 * @param {RungName[]} fresh
 */
function rungTable({ rungs, meaning }, fresh) {
  const stale = { rows: false, ngrams: false, rules: false, overview: false, train: false }
  const kept = {
    ...rungs,
    ...Object.fromEntries(
      /** @type {RungName[]} */ (['rows', 'ngrams', 'rules'])
        .filter((name) => !fresh.includes(name))
        .map((name) => [name, { ...rungs[name], summary: null, status: 'idle' }]),
    ),
  }
  const heads = ['Check', 'Test rows', 'Share, %', 'Not judged']
  return el(
    'table',
    null,
    el('thead', null, el('tr', null, ...heads.map((head) => el('th', { scope: 'col' }, head)))),
    el(
      'tbody',
      null,
      ...ladderSteps(/** @type {any} */ (kept), stale, meaning.live ? meaning : null).map(
        ({ label, by, hits, of, share, apart, note }) =>
          el(
            'tr',
            null,
            el('th', { scope: 'row' }, by ? `${label} (most: ${by})` : label),
            el('td', null, hits === null ? (note ?? 'not run') : `${count(hits)} of ${count(of)}`),
            el('td', null, hits === null || of === 0 ? 'n/a' : percent(share)),
            el('td', null, hits === null ? 'n/a' : count(apart ?? 0)),
          ),
      ),
    ),
  )
}

/**
 * @param {State} state
 * @param {RungName[]} fresh
 * @param {OverviewSummary | null} overview
 */
function charts({ rungs }, fresh, overview) {
  const made = []
  if (overview) made.push(bandFigure(overview))
  const { histogram, stamp } = rungs.ngrams.summary ?? {}
  if (fresh.includes('ngrams') && histogram) {
    made.push(dirtyFigure({ ...histogram, threshold: stamp.threshold, narrow: false }))
  }
  if (fresh.includes('rules')) {
    const { sweep, n } = rungs.rules.summary
    made.push(sweepView({ sweep, n, narrow: false }))
  }
  return made.length > 0 ? [el('h2', null, 'Charts'), ...made] : []
}

/** @param {OverviewSummary} overview */
function bandFigure(overview) {
  const all = bandsOf(overview)
  const bands = knownBands(all)
  const figure = chartFigure({
    title: 'Each test row once, on the lowest rung that catches it',
    says: `${bands.map(({ label, count: rows }) => `${label} ${count(rows)}`).join(', ')}.`,
    chart: lowestChart({ bands, narrow: false }),
    heads: ['Lowest rung', 'Rows'],
    rows: bands.map(({ label, count: rows }) => [label, count(rows)]),
  })
  figure.querySelector('.hint')?.replaceWith(bandKey(all))
  return figure
}

/**
 * What each colour of the bar stands for.
 *
 * @param {import('./views/overview.js').Band[]} bands
 */
function bandKey(bands) {
  return el(
    'ul',
    { class: 'key' },
    ...bands.map(({ name, label, count: rows }) =>
      el(
        'li',
        { 'data-band-name': name },
        el('span', { class: 'swatch', style: { '--ink': BAND_COLOURS[name] ?? 'transparent' } }),
        `${label} `,
        el('b', null, rows === null ? 'not run' : count(rows)),
      ),
    ),
  )
}

/**
 * @param {PairView} pair
 * @param {State} state
 */
function pairPart({ test, train, dirty_tokens: dirty, tokens }, { marks }) {
  const said = marks.of[test.record]
  const word = said?.mark ? ` Marked: ${MARK_TITLES[said.mark]}.` : ''
  const note = said?.note ? ` Note: ${said.note}` : ''
  return el(
    'section',
    { class: 'pair' },
    el('h3', null, el('bdi', null, test.label || `Record ${count(test.record)}`)),
    el(
      'p',
      { class: 'quiet' },
      `Test ${place(test)}${train ? `; training ${place(train)}` : ''}. ${count(dirty ?? 0)} of ${plural(tokens, 'token')} dirty.${word}${note}`,
    ),
    el('div', { class: 'panes' }, pane('Test', test), train && pane('Training', train)),
  )
}

/**
 * @param {string} title
 * @param {PairSide} side
 */
function pane(title, { parts }) {
  return el(
    'div',
    null,
    el('h4', null, title),
    ...parts.map(({ text, marks }) =>
      el(
        'p',
        { class: 'text', dir: 'auto' },
        ...pieces(text, marks).map((piece) =>
          piece.tokens ? el('mark', null, piece.text) : piece.text,
        ),
      ),
    ),
  )
}

/**
 * @param {string} title
 * @param {Stamp} stamp
 */
function stampPart(title, stamp) {
  return el(
    'section',
    null,
    el('h3', null, title),
    el('p', { class: 'stamp' }, stampWords(stamp).join(' · ')),
    el(
      'details',
      null,
      el('summary', null, 'The whole stamp, as JSON'),
      el('pre', null, JSON.stringify(stamp, null, 1)),
    ),
  )
}

const TOKENS = [
  ...['--page', '--surface', '--raised', '--ink', '--quiet', '--line', '--line-strong'],
  ...['--accent', '--mark', '--mark-edge', '--track', '--band-none', '--rung-exact'],
  ...['--rung-normalized', '--rung-ngram', '--rung-rule', '--rung-meaning', '--rung-id'],
]

/** The page's own colours, as they are written there, with a small style of its own. */
function styles() {
  const root = getComputedStyle(document.documentElement)
  const values = TOKENS.map((name) => `${name}: ${root.getPropertyValue(name).trim()};`).join('\n')
  return `:root { color-scheme: light dark;\n${values} }\n${STYLE}`
}

const STYLE = `
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif }
main { max-width: 64rem; margin: 0 auto; padding: 2rem 1.25rem 4rem }
h1 { font-size: 1.75rem; line-height: 1.2 } h2 { margin-top: 2.5rem } h3 { margin: 1.5rem 0 .25rem }
h4 { margin: 0 0 .25rem; font-size: .8125rem; color: var(--quiet) }
.pairing, .quiet, .hint { color: var(--quiet) }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .75rem; border-bottom: 1px solid var(--line); text-align: start }
td, [data-number], thead th + th { text-align: end } th { font-weight: 500 }
figure { margin: 1.5rem 0 } figcaption { font-weight: 600; margin-bottom: .5rem }
.plot { display: block; width: 100%; max-width: 40rem; height: auto; overflow: visible; font: 12px system-ui, sans-serif }
.plot text { white-space: pre }
.plot, mark, .swatch { print-color-adjust: exact }
.key { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .5rem 0; padding: 0; list-style: none; font-variant-numeric: tabular-nums }
.swatch { display: inline-block; width: .75rem; height: .75rem; margin-inline-end: .4rem; border-radius: 2px; background: var(--ink) }
[data-band-name="unjudged"] .swatch { background: repeating-linear-gradient(135deg, transparent 0 3px, var(--line-strong) 3px 5px) }
.panes { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 1rem }
.panes > div { padding: .75rem; border: 1px solid var(--line); border-radius: 6px; background: var(--surface) }
.text { margin: 0 0 .75rem; font: 13px/1.6 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
mark { background: var(--mark); color: var(--ink); border-bottom: 2px solid var(--mark-edge) }
.stamp, pre { font: 12px/1.6 ui-monospace, monospace; color: var(--quiet); overflow-wrap: anywhere; white-space: pre-wrap }
.pair { break-inside: avoid } bdi, p, li { overflow-wrap: anywhere }
`
