/**
 * Charts, drawn by Observable Plot: numbers in, one SVG out. Each stands in a figure with a sentence
 * that says what it shows and its numbers as a table.
 *
 * Plot puts a style element into its SVG, which the page's policy would refuse; it is taken out and
 * its three rules stand in `charts.css`.
 *
 * @import { Child } from '../lib/dom.js'
 */

import { barX, barY, plot, rectY, ruleX, ruleY, text } from '@observablehq/plot'
import { el } from '../lib/dom.js'
import { count, plural } from '../lib/format.js'
import { headRow } from './controls.js'
import { howLink } from './how.js'

/** @typedef {{ from: number, to: number, count: number }} Bin counts from <= value < to; the last one takes its upper end too */
/** @typedef {{ name: string, label: string, count: number }} Band */

const WIDE = 600
const NARROW = 340

/** @type {Map<string, Element>} the charts last drawn by their numbers, since views run far more often */
const drawn = new Map()
const KEPT = 12 // more than the page shows at once

/**
 * A chart that was drawn from the same numbers before is copied.
 *
 * @param {string} name
 * @param {unknown} numbers
 * @param {() => import('@observablehq/plot').PlotOptions} options
 */
function draw(name, numbers, options) {
  const key = `${name} ${JSON.stringify(numbers)}`
  const svg = drawn.get(key) ?? drawAnew(options())
  drawn.delete(key)
  drawn.set(key, svg) // as the last one
  for (const oldest of drawn.keys()) {
    if (drawn.size <= KEPT) break
    drawn.delete(oldest)
  }
  return /** @type {Element} */ (svg.cloneNode(true))
}

/** @param {import('@observablehq/plot').PlotOptions} options */
function drawAnew(options) {
  const svg = plot({ className: 'plot', ...options })
  for (const style of svg.querySelectorAll('style')) style.remove()
  svg.setAttribute('aria-hidden', 'true')
  return svg
}

/** @param {boolean} narrow */
function frame(narrow) {
  return {
    width: narrow ? NARROW : WIDE,
    height: 220,
    marginLeft: 46,
    marginRight: 12,
    marginBottom: 40, // the axis label stands below its ticks
  }
}

/**
 * Share of rows against n, with the lengths that somebody uses marked.
 *
 * @param {{ sweep: { n: number, share: number | null }[], marks: { n: number, label: string }[], narrow: boolean }} props
 */
export function sweepChart({ sweep, marks, narrow }) {
  const used = new Set(marks.map(({ n }) => n))
  const top = Math.max(0.01, ...sweep.map(({ share }) => share ?? 0))
  const shares = sweep.map(({ n, share }) => ({ n, share: share ?? 0, used: used.has(n) }))
  return draw('sweep', [sweep, marks, narrow], () => ({
    ...frame(narrow),
    marginTop: 18 + 14 * marks.length,
    x: { type: 'band', padding: 0.15, label: 'n, words', ticks: [5, 10, 20, 30, 40, 50] },
    y: {
      domain: [0, top],
      grid: true,
      ticks: 4,
      label: 'Rows flagged, %',
      tickFormat: percentTick(top),
    },
    marks: [
      barY(shares, {
        x: 'n',
        y: 'share',
        fill: (each) => (each.used ? 'var(--accent)' : 'var(--rung-rule)'),
      }),
      ruleX(marks, { x: 'n', stroke: 'var(--accent)', strokeDasharray: '2,3' }),
      ...marks.map((mark, at) =>
        text([mark], {
          x: 'n',
          text: ({ label, n }) => `${label}, ${n}`,
          frameAnchor: 'top',
          textAnchor: 'start',
          dx: 5,
          dy: -14 * (marks.length - at) + 4,
          fill: 'currentColor',
        }),
      ),
      ruleY([0]),
    ],
  }))
}

/** @param {number} top the largest share, a fraction */
function percentTick(top) {
  const digits = top < 0.05 ? 1 : 0
  return (/** @type {number} */ share) => (share * 100).toFixed(digits)
}

/**
 * How many rows lie where, with the line that flags.
 *
 * @param {{ bins: Bin[], threshold: number, label: string, scale?: number, narrow: boolean }} props
 *   `threshold` in the unit of the bins, `scale` turns that unit into what the axis prints
 */
export function histogramChart({ bins, threshold, label, scale = 1, narrow }) {
  return draw('histogram', [bins, threshold, label, narrow], () => ({
    ...frame(narrow),
    marginTop: 26,
    x: {
      domain: [bins[0].from, bins[bins.length - 1].to],
      label,
      ticks: 6,
      tickFormat: (/** @type {number} */ at) => String(Math.round(at * scale * 1000) / 1000),
    },
    y: { grid: true, ticks: wholeTicks(bins), label: 'Rows', tickFormat: count },
    marks: [
      rectY(bins, {
        x1: 'from',
        x2: 'to',
        y: 'count',
        insetLeft: 1,
        fill: (bin) => (bin.to > threshold ? 'var(--rung-ngram)' : 'var(--rung-id)'),
      }),
      ruleX([threshold], { stroke: 'var(--accent)', strokeWidth: 2, strokeDasharray: '5,3' }),
      text([threshold], {
        x: (at) => at,
        text: () => 'threshold',
        frameAnchor: 'top',
        textAnchor: threshold > (bins[0].from + bins[bins.length - 1].to) / 2 ? 'end' : 'start',
        dx: threshold > (bins[0].from + bins[bins.length - 1].to) / 2 ? -5 : 5,
        dy: 8,
        fill: 'currentColor',
      }),
      ruleY([0]),
    ],
  }))
}

/**
 * Rows come whole, so a short axis has a tick a row.
 *
 * @param {Bin[]} bins
 */
function wholeTicks(bins) {
  const top = Math.max(1, ...bins.map((bin) => bin.count))
  return top < 5 ? Array.from({ length: top + 1 }, (_, at) => at) : 4
}

/**
 * Values -> bins of equal width over a range; what lies outside is counted at the nearer end.
 *
 * @param {number[]} values
 * @param {{ from?: number, to?: number, parts?: number }} [options]
 * @returns {Bin[]}
 */
export function binValues(values, { from = 0, to = 1, parts = 20 } = {}) {
  const width = (to - from) / parts
  /** @type {Bin[]} */
  const bins = Array.from({ length: parts }, (_, at) => ({
    from: from + at * width,
    to: at === parts - 1 ? to : from + (at + 1) * width,
    count: 0,
  }))
  for (const value of values) {
    const at = Math.floor((value - from) / width + 1e-9)
    bins[Math.min(parts - 1, Math.max(0, at))].count += 1
  }
  return bins
}

/**
 * A whole figure for values such as cosines: picture, sentence, table.
 *
 * @param {number[]} values
 * @param {number} threshold
 * @param {{ title?: string, label?: string, from?: number, to?: number, parts?: number, narrow?: boolean }} [options]
 */
export function histogram(values, threshold, { title, label, narrow, ...range } = {}) {
  const above = values.filter((value) => value >= threshold).length
  const says = `${count(above)} of ${count(values.length)} at ${threshold} or above.`
  return binsFigure({ bins: binValues(values, range), threshold, says, title, label, narrow })
}

/**
 * The same where the values were counted elsewhere.
 *
 * @param {{ bins: Bin[], threshold: number, says: string, title?: string, label?: string, narrow?: boolean }} props
 */
export function binsFigure({
  bins,
  threshold,
  says,
  title = 'Rows by cosine',
  label = 'Cosine',
  narrow = false,
}) {
  return chartFigure({
    title,
    says,
    chart: histogramChart({ bins, threshold, label, narrow }),
    how: 'meaning',
    heads: [label, 'Rows'],
    rows: bins.map(({ from, to, count: rows }) => [
      `${from.toFixed(2)} to ${to.toFixed(2)}`,
      count(rows),
    ]),
  })
}

/** Colours of the bands, by name; what is in none of them has the track's. */
/** @type {Record<string, string>} */
export const BAND_COLOURS = {
  exact: 'var(--rung-exact)',
  normalized: 'var(--rung-normalized)',
  ngrams: 'var(--rung-ngram)',
  rules: 'var(--rung-rule)',
  meaning: 'var(--rung-meaning)',
  none: 'var(--band-none)',
  unjudged: 'url(#hatch)',
}

/**
 * All test rows as one bar, cut by the lowest rung that catches them.
 *
 * @param {{ bands: Band[], narrow: boolean }} props
 */
export function lowestChart({ bands, narrow }) {
  const shown = bands.filter((band) => band.count > 0)
  const svg = draw('lowest', [shown, narrow], () => ({
    width: narrow ? NARROW : WIDE,
    height: 44,
    margin: 0,
    x: { axis: null },
    marks: [
      hatch,
      barX(shown, {
        x: 'count',
        fill: ({ name }) => BAND_COLOURS[name],
        insetRight: 1,
        order: null,
        title: ({ label, count: rows }) => `${label}: ${count(rows)}`,
      }),
    ],
  }))
  svg.setAttribute('preserveAspectRatio', 'none') // as wide as the page, always as high
  svg.querySelectorAll('rect[fill]').forEach((rect, at) => {
    if (shown[at]) rect.setAttribute('data-band', shown[at].name)
  })
  return svg
}

/** Stripes for the rows that no rung could judge, so that they are told apart without colour. */
function hatch() {
  const make = (
    /** @type {string} */ name,
    /** @type {Record<string, string | number>} */ values,
  ) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', name)
    for (const [key, value] of Object.entries(values)) node.setAttribute(key, String(value))
    return node
  }
  const pattern = make('pattern', {
    id: 'hatch',
    width: 6,
    height: 6,
    patternUnits: 'userSpaceOnUse',
    patternTransform: 'rotate(45)',
  })
  pattern.append(make('path', { d: 'M0 0H6', stroke: 'var(--line-strong)', 'stroke-width': 3 }))
  const defs = make('defs', {})
  defs.append(pattern)
  return /** @type {SVGElement} */ (defs)
}

/**
 * A chart as it stands on the page.
 *
 * @param {{ title: string, says: string, chart: Element, heads: string[], rows: Child[][], tableLabel?: string, how?: import('./how.js').Topic }} props
 *   `says` is the chart in words; the first cell of a row names it
 */
export function chartFigure({ title, says, chart, heads, rows, tableLabel = title, how }) {
  return el(
    'figure',
    { class: 'chart' },
    el('figcaption', null, title, ' ', how && howLink(how, title)),
    el('div', { class: 'chart-picture', role: 'img', 'aria-label': says }, chart),
    el('p', { class: 'hint' }, says),
    numbersTable(tableLabel, heads, rows),
  )
}

/**
 * @param {string} label
 * @param {string[]} heads
 * @param {Child[][]} rows
 */
export function numbersTable(label, heads, rows) {
  return el(
    'details',
    { class: 'reading' },
    el('summary', null, 'The numbers'),
    el(
      'div',
      {
        class: 'tablewrap',
        tabindex: '0',
        role: 'region',
        'aria-label': `${label}, scrollable`,
      },
      el(
        'table',
        { class: 'data small' },
        headRow(heads.map((head) => [head, true])),
        el('tbody', null, ...rows.map(numbersRow)),
      ),
    ),
  )
}

/** @param {Child[]} cells */
function numbersRow([first, ...cells]) {
  return el(
    'tr',
    null,
    el('th', { scope: 'row', 'data-number': true }, first),
    ...cells.map((cell) => el('td', { 'data-number': true }, cell)),
  )
}

/**
 * Rows by the share of their tokens that is dirty, as the core counted them.
 *
 * @param {{ bins: number[], clean: number, threshold: number, narrow: boolean }} props
 *   `bins` of equal width over 0..1, without the rows of which nothing is dirty; `threshold` a percent
 */
export function dirtyFigure({ bins, clean, threshold, narrow }) {
  const width = 1 / bins.length
  const parts = bins.map((rows, at) => ({ from: at * width, to: (at + 1) * width, count: rows }))
  const some = bins.reduce((sum, rows) => sum + rows, 0)
  const says =
    some === 0
      ? `No token of any checkable row is dirty: ${plural(clean, 'row')} at zero.`
      : `${plural(some, 'row holds', 'rows hold')} dirty tokens; ${plural(clean, 'more holds none and is', 'more hold none and are')} not drawn. ${flagsFrom(threshold)}`
  return chartFigure({
    title: 'Rows by the share of their tokens that is dirty',
    says,
    chart: histogramChart({
      bins: parts,
      threshold: threshold / 100,
      label: 'Dirty tokens, %',
      scale: 100,
      narrow,
    }),
    how: 'histogram',
    heads: ['Dirty, %', 'Rows'],
    rows: [
      ['0', count(clean)],
      ...parts.map(({ from, to, count: rows }) => [
        `${Math.round(from * 100)} to ${Math.round(to * 100)}`,
        count(rows),
      ]),
    ],
  })
}

/** @param {number} threshold percent */
function flagsFrom(threshold) {
  return threshold === 0
    ? 'Any dirty token flags a row.'
    : `A row is flagged from ${threshold}% on.`
}
