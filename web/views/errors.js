/**
 * A file that could not be read.
 *
 * @import { Side, WireError } from '../types.d.ts'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count } from '../lib/format.js'
import { button } from './controls.js'

/**
 * What happened, where, and what can be done about it right here.
 *
 * @param {Side} side
 * @param {WireError} error
 * @param {Actions} act
 */
export function errorBox(side, error, act) {
  return el(
    'div',
    { class: 'error', role: 'alert' },
    el('p', null, error.message),
    badList(error),
    answers(side, error, act),
    error.details && errorDetails(error.details),
  )
}

/** @param {string} text */
function errorDetails(text) {
  return el('details', null, el('summary', null, 'Details for a bug report'), el('pre', null, text))
}

/** @param {WireError} error */
function badList({ first = [], total = 0 }) {
  if (first.length < 2) return null
  const more = total - first.length
  return el(
    'ol',
    { class: 'bad-lines' },
    ...first.map((each) =>
      el(
        'li',
        null,
        each.line ? `Line ${count(each.line)}` : 'Record',
        `: ${each.reason ?? each.message}`,
      ),
    ),
    more > 0 && el('li', { class: 'hint' }, `and ${count(more)} more`),
  )
}

/**
 * @param {Side} side
 * @param {WireError} error
 * @param {Actions} act
 */
function answers(side, error, act) {
  /** @type {HTMLElement[]} */
  const buttons = []
  if (error.code === 'bad-records') {
    const label =
      error.total === 1 ? 'Leave this one out' : `Leave these ${count(error.total ?? 0)} out`
    buttons.push(button(label, () => act.readAgain(side, { skip_bad: true })))
  }
  if (error.code === 'worker-lost') {
    buttons.push(button('Read it again', () => act.readAgain(side, {})))
  }
  if (error.first?.some(({ code }) => code === 'ragged-row')) {
    const label = 'Fill up rows with too few cells'
    buttons.push(button(label, () => act.readAgain(side, { pad_ragged: true })))
  }
  for (const each of error.choices ?? []) {
    buttons.push(button(each, () => act.readAgain(side, { [String(error.option)]: each })))
  }
  return buttons.length > 0 && el('div', { class: 'give' }, ...buttons)
}
