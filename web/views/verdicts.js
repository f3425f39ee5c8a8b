/**
 * What the published rules say of one row, in words and signs as well as colour.
 *
 * @import { RuleVerdicts } from '../types.d.ts'
 */

import { el } from '../lib/dom.js'
import { percent } from '../lib/format.js'

/** @param {boolean | 'clean' | 'between' | 'dirty' | null} value */
export function verdict(value) {
  const state = verdictState(value)
  return el('span', { class: 'verdict', 'data-verdict': state }, VERDICTS[state])
}

/** @typedef {'dirty' | 'between' | 'clean' | 'unjudged'} Verdict */

/** @type {Record<Verdict, string>} */
const VERDICTS = {
  dirty: '⚑ dirty',
  between: 'between',
  clean: 'not flagged',
  unjudged: 'not judged',
}

/**
 * @param {boolean | 'clean' | 'between' | 'dirty' | null} value
 * @returns {Verdict}
 */
function verdictState(value) {
  if (value === null) return 'unjudged'
  if (typeof value === 'boolean') return value ? 'dirty' : 'clean'
  return value
}

/** @param {RuleVerdicts} verdicts */
export function anyFlag({ gpt3, palm, llama2, gpt4_any: gpt4 }) {
  return gpt3 === true || palm === true || llama2 === 'dirty' || gpt4 === true
}

/** @param {RuleVerdicts} verdicts */
export function verdictList(verdicts) {
  const { gpt4_probability: chance } = verdicts
  return el(
    'ul',
    { class: 'verdicts', 'aria-label': 'Verdicts on this row' },
    el('li', null, 'GPT-3 ', verdict(verdicts.gpt3)),
    el('li', null, 'PaLM ', verdict(verdicts.palm)),
    el('li', null, 'Llama 2 ', verdict(verdicts.llama2)),
    el('li', null, 'GPT-4, any window ', verdict(verdicts.gpt4_any)),
    chance !== null && el('li', null, `GPT-4, three draws: ${percent(chance)} chance`),
  )
}
