/**
 * Share of test rows that share any run of at least n words, for every n: as bars, with its numbers
 * as a table behind them.
 *
 * @import { RulesSummary } from '../types.d.ts'
 */

import { el } from '../lib/dom.js'
import { percent } from '../lib/format.js'

/** Where a report put its own n: drawn as marks on the axis. */
const OWN = new Map([
  [8, 'PaLM'],
  [10, 'Llama 2'],
])

/**
 * @param {{ sweep: RulesSummary['sweep'], n: number }} props
 */
export function sweepView({ sweep, n }) {
  const top = Math.max(0.0001, ...sweep.map(({ share }) => share ?? 0))
  return el(
    'figure',
    { class: 'sweep' },
    el('figcaption', null, 'Share of rows with a shared run of n words or more'),
    el(
      'div',
      { class: 'bars', role: 'img', 'aria-label': describe(sweep, n) },
      ...sweep.map(({ n: each, share }) =>
        el('span', {
          class: 'bar-one',
          'data-chosen': each === n,
          'data-own': OWN.has(each),
          title: `n ${each}: ${percent(share)}`,
          style: { '--height': String((share ?? 0) / top) },
        }),
      ),
    ),
    el(
      'div',
      { class: 'bars-axis', 'aria-hidden': 'true' },
      ...sweep.map(({ n: each }) =>
        el('span', { 'data-chosen': each === n }, axisLabel(each, n, sweep)),
      ),
    ),
    el(
      'p',
      { class: 'hint' },
      `The tallest bar is ${percent(top)}; each is of the rows that hold n words. Marked: PaLM’s 8, Llama 2’s 10, GPT-3’s N, ${n} here.`,
    ),
    el(
      'details',
      { class: 'reading' },
      el('summary', null, 'The numbers'),
      el(
        'div',
        {
          class: 'tablewrap',
          tabindex: '0',
          role: 'region',
          'aria-label': 'Share by n, scrollable',
        },
        el(
          'table',
          { class: 'data small' },
          el(
            'thead',
            null,
            el(
              'tr',
              null,
              el('th', { scope: 'col', 'data-number': true }, 'n'),
              el('th', { scope: 'col', 'data-number': true }, 'Rows flagged'),
              el('th', { scope: 'col' }, 'Used by'),
            ),
          ),
          el(
            'tbody',
            null,
            ...sweep.map(({ n: each, share }) =>
              el(
                'tr',
                null,
                el('th', { scope: 'row', 'data-number': true }, each),
                el('td', { 'data-number': true }, percent(share)),
                el('td', null, each === n ? 'GPT-3' : (OWN.get(each) ?? '')),
              ),
            ),
          ),
        ),
      ),
    ),
  )
}

/**
 * @param {number} each
 * @param {number} n
 * @param {RulesSummary['sweep']} sweep
 */
function axisLabel(each, n, sweep) {
  const ends = [sweep[0].n, sweep[sweep.length - 1].n, n, 8, 10, 20, 30, 40]
  return ends.includes(each) ? each : ''
}

/**
 * @param {RulesSummary['sweep']} sweep
 * @param {number} n
 */
function describe(sweep, n) {
  const first = sweep[0]
  const chosen = sweep.find((each) => each.n === n)
  return `From ${percent(first.share)} at n ${first.n} falling to ${percent(chosen?.share ?? null)} at n ${n}. The numbers are in the table below.`
}
