/**
 * The ladder: one line a rung, with k of n and a bar over its own denominator. Not run, not judged and
 * zero look different. Pressing a line opens its tab.
 *
 * @import { TabName } from '../types.d.ts'
 * @import { Rung, State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { apartWords, el } from '../lib/dom.js'
import { count, percent } from '../lib/format.js'
import { howLink } from './how.js'
import { verdictRules } from './names.js'

/** @typedef {{ id: string, label: string, tab: TabName, hits: number | null, of: number, share: number | null, apart?: number, note?: string, by?: string, stale: boolean }} Step */

/**
 * @param {{ rungs: State['rungs'], stale: Record<string, boolean>, meaning: State['meaning'], tab: TabName, act: Actions }} props
 */
export function ladderView({ rungs, stale, meaning, tab, act }) {
  const steps = ladderSteps(rungs, stale, meaning)
  return el(
    'div',
    { class: 'ladder' },
    el('h2', { class: 'ladder-title' }, 'Test rows caught, rung by rung'),
    el('ol', { class: 'ladder-list' }, ...steps.map((step) => stepView(step, tab, act))),
    el(
      'p',
      { class: 'hint' },
      'Each share is of the rows that its rung could judge, so the lines do not add up.',
      ' ',
      howLink('overview', 'the ladder'),
    ),
  )
}

/**
 * @param {State['rungs']} rungs
 * @param {Record<string, boolean>} stale
 * @param {State['meaning'] | null} [meaning]
 * @returns {Step[]}
 */
export function ladderSteps({ rows, ngrams, rules }, stale, meaning = null) {
  return [
    rowStep('exact', 'Exact row', rows, stale.rows),
    rowStep('normalized', 'Normalized row', rows, stale.rows),
    ngramStep(ngrams, stale.ngrams),
    ruleStep(rules, stale.rules),
    meaningStep(meaning),
    idStep(rows, stale.rows),
  ]
}

/**
 * Only what was compared with training rows is a step of this ladder.
 *
 * @param {State['meaning'] | null} meaning
 * @returns {Step}
 */
function meaningStep(meaning) {
  const base = { id: 'meaning', label: 'Reads alike', tab: /** @type {TabName} */ ('meaning') }
  const { across, rows = 0 } = meaning?.result?.summary ?? {}
  if (!across) {
    const note = meaning?.result ? 'within one file only' : 'not run'
    return { ...base, hits: null, of: 0, share: null, note, stale: false }
  }
  const { reads_alike: hits, checked: of, share } = across
  return { ...base, hits, of, share, apart: rows - of, stale: !meaning?.live }
}

/**
 * What stands where a rung has no numbers.
 *
 * @param {Pick<Rung, 'status'>} rung
 */
export function waiting({ status }) {
  return { idle: 'not run', running: 'checking', done: '', failed: 'failed', stopped: 'stopped' }[
    status
  ]
}

/**
 * @param {'exact' | 'normalized'} name
 * @param {string} label
 * @param {Rung} rung
 * @param {boolean} stale
 * @returns {Step}
 */
function rowStep(name, label, rung, stale) {
  const { summary } = rung
  const base = { id: name, label, tab: /** @type {TabName} */ ('rows'), stale }
  if (!summary) return { ...base, hits: null, of: 0, share: null, note: waiting(rung) }
  return {
    ...base,
    hits: summary[name].test_rows,
    of: summary.counts.test,
    share: summary[name].test_share,
  }
}

/**
 * @param {Rung} rung
 * @param {boolean} stale
 * @returns {Step}
 */
function ngramStep(rung, stale) {
  const { summary } = rung
  const base = { id: 'ngram', tab: /** @type {TabName} */ ('ngrams'), stale }
  if (!summary)
    return { ...base, label: 'Shared run', hits: null, of: 0, share: null, note: waiting(rung) }
  const label = `Shared run of ${summary.stamp.n}`
  return {
    ...base,
    label,
    hits: summary.flagged,
    of: summary.checkable,
    share: summary.flagged_share,
    apart: summary.short + summary.blank,
  }
}

/**
 * The rule that calls most rows dirty stands for the rung.
 *
 * @param {Rung} rung
 * @param {boolean} stale
 * @returns {Step}
 */
function ruleStep(rung, stale) {
  const { summary } = rung
  const base = {
    id: 'rule',
    label: 'A published rule',
    tab: /** @type {TabName} */ ('rules'),
    stale,
  }
  if (!summary) return { ...base, hits: null, of: 0, share: null, note: waiting(rung) }
  const most = verdictRules(summary.rules).toSorted((a, b) => b.flagged - a.flagged)[0]
  if (!most) return { ...base, hits: null, of: 0, share: null, note: 'no rule' }
  return {
    ...base,
    hits: most.flagged,
    of: most.defined,
    share: most.share,
    apart: most.undefined,
    by: most.title,
  }
}

/**
 * @param {Rung} rung
 * @param {boolean} stale
 * @returns {Step}
 */
function idStep(rung, stale) {
  const { summary } = rung
  const base = {
    id: 'id',
    label: 'Identifier, beside',
    tab: /** @type {TabName} */ ('rows'),
    stale,
  }
  if (!summary) return { ...base, hits: null, of: 0, share: null, note: waiting(rung) }
  if (summary.identifier_note === 'no-id')
    return { ...base, hits: null, of: 0, share: null, note: 'no id column' }
  const { test_rows: hits, test_share: share } = summary.identifier
  const note = summary.identifier_note === 'serial' ? 'plain serial numbers' : undefined
  return { ...base, hits, of: summary.counts.test, share, note }
}

/**
 * @param {Step} step
 * @param {TabName} tab
 * @param {Actions} act
 */
function stepView(step, tab, act) {
  const { id, label, hits, of, share, apart, note, by, stale } = step
  const state = hits === null ? 'none' : of === 0 ? 'unjudged' : hits === 0 ? 'zero' : 'hit'
  return el(
    'li',
    { key: id },
    el(
      'button',
      {
        type: 'button',
        class: 'rung',
        'data-rung': id,
        'data-state': state,
        'data-stale': stale,
        'aria-current': step.tab === tab ? 'true' : null,
        on: { click: () => act.openTab(step.tab) },
      },
      el('span', { class: 'rung-name' }, ...apartWords(label, by && el('small', null, by))),
      ' ',
      el(
        'span',
        { class: 'track', 'aria-hidden': 'true' },
        el('span', { class: 'fill', style: { '--share': String(share ?? 0) } }),
      ),
      el(
        'span',
        { class: 'rung-n' },
        ...apartWords(
          ...stepNumbers(state, hits, of, share),
          apart ? el('small', null, `${count(apart)} not judged`) : null,
          note && el('small', null, note),
        ),
      ),
    ),
  )
}

/**
 * @param {string} state
 * @param {number | null} hits
 * @param {number} of
 * @param {number | null} share
 */
function stepNumbers(state, hits, of, share) {
  if (state === 'none') return []
  if (state === 'unjudged') return [el('small', null, 'nothing could be checked')]
  return [el('b', null, percent(share)), el('small', null, `${count(hits ?? 0)} of ${count(of)}`)]
}
