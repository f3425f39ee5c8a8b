/**
 * Every rung at once, as one table: what it asks, k of n, and what it could not judge.
 *
 * @import { RungName, TabName } from '../types.d.ts'
 * @import { State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, percent } from '../lib/format.js'
import { button, tag } from './controls.js'
import { ladderSteps } from './ladder.js'
import { stampView } from './stamp.js'

/** @type {Record<string, { asks: string, blind: string }>} */
const ABOUT = {
  exact: {
    asks: 'Is the whole row in both files, as written?',
    blind: 'One changed comma hides a row from it.',
  },
  normalized: {
    asks: 'Is it, once case, punctuation and spacing are folded?',
    blind: 'A row inside a longer row stays unseen.',
  },
  ngram: {
    asks: 'Does the row share a long run of tokens with a training row?',
    blind: 'Rows under n tokens are not judged; rewordings pass.',
  },
  rule: {
    asks: 'What would four published reports have called it?',
    blind: 'The reports disagree with each other.',
  },
  meaning: {
    asks: 'Does a training row say the same in other words?',
    blind: 'A negation or another number reads alike.',
  },
  id: { asks: 'Is the id in both files?', blind: 'Serial numbers match by accident.' },
}

/**
 * @param {{ rungs: State['rungs'], stale: Record<RungName, boolean>, act: Actions }} props
 */
export function overviewView({ rungs, stale, act }) {
  const steps = ladderSteps(rungs, stale)
  const stamped = rungs.ngrams.summary ?? rungs.rows.summary ?? rungs.rules.summary
  return el(
    'div',
    { class: 'panel' },
    el(
      'div',
      { class: 'tablewrap', tabindex: '0', role: 'region', 'aria-label': 'All checks, scrollable' },
      el(
        'table',
        { class: 'data overview' },
        el('caption', { class: 'unseen' }, 'All checks with their counts'),
        el(
          'thead',
          null,
          el(
            'tr',
            null,
            el('th', { scope: 'col' }, 'Check'),
            el('th', { scope: 'col' }, 'Asks'),
            el('th', { scope: 'col', 'data-number': true }, 'Test rows'),
            el('th', { scope: 'col', 'data-number': true }, 'Share'),
            el('th', { scope: 'col' }, 'Cannot see'),
          ),
        ),
        el('tbody', null, ...steps.map((step) => overviewRow(step, act))),
      ),
    ),
    stamped && stampView(stamped.stamp, act),
  )
}

/**
 * @param {import('./ladder.js').Step} step
 * @param {Actions} act
 */
function overviewRow({ id, label, tab, hits, of, share, note, by, stale }, act) {
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
    ),
    el('td', { class: 'wrap' }, ABOUT[id].asks, by && el('small', null, ` Most by ${by}.`)),
    el('td', { 'data-number': true }, counted),
    el('td', { 'data-number': true }, none || of === 0 ? 'n/a' : percent(share)),
    el('td', { class: 'wrap quiet' }, ABOUT[id].blind),
  )
}
