/**
 * Share of test rows that share any run of at least n words, for every n: as a chart, with its numbers
 * as a table behind it.
 *
 * @import { RulesSummary } from '../types.d.ts'
 */

import { percent } from '../lib/format.js'
import { chartFigure, sweepChart } from './charts.js'

/** Where a report put its own n. */
const OWN = new Map([
  [8, 'PaLM'],
  [10, 'Llama 2'],
])

/**
 * @param {{ sweep: RulesSummary['sweep'], n: number, narrow: boolean }} props
 */
export function sweepView({ sweep, n, narrow }) {
  const marks = [...OWN].map(([own, label]) => ({ n: own, label }))
  const all = [...marks, { n, label: 'GPT-3' }].toSorted((a, b) => a.n - b.n)
  return chartFigure({
    title: 'Share of rows with a shared run of n words or more',
    says: describe(sweep, n),
    chart: sweepChart({ sweep, marks: all, narrow }),
    heads: ['n', 'Rows flagged', 'Used by'],
    rows: sweep.map(({ n: each, share }) => [
      String(each),
      percent(share),
      all
        .filter((mark) => mark.n === each)
        .map(({ label }) => label)
        .join(', '),
    ]),
    tableLabel: 'Share by n',
    how: 'sweep',
  })
}

/**
 * @param {RulesSummary['sweep']} sweep
 * @param {number} n
 */
function describe(sweep, n) {
  const first = sweep[0]
  const chosen = sweep.find((each) => each.n === n)
  return `From ${percent(first.share)} at n ${first.n} falling to ${percent(chosen?.share ?? null)} at n ${n}. Each share is of the rows that hold n words. Marked: PaLM’s 8, Llama 2’s 10, GPT-3’s N, ${n} here.`
}
