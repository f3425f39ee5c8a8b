/**
 * One-file mode: which column says the split, and which two of its values are compared.
 *
 * @import { FileFacts, Side } from '../types.d.ts'
 * @import { State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { plural } from '../lib/format.js'
import { choice } from './controls.js'

/**
 * @param {{ facts: FileFacts | null, split: State['split'], act: Actions }} props
 */
export function splitCard({ facts, split, act }) {
  return el(
    'article',
    {
      class: 'slot',
      key: 'split',
      'data-status': facts ? 'ready' : 'empty',
      'aria-label': 'Splits',
    },
    el('header', null, el('h2', null, 'Splits ', el('span', { class: 'role' }, 'by one column'))),
    ...(facts ? pickers(facts, split, act) : [waiting()]),
  )
}

function waiting() {
  return el('p', { class: 'facts' }, 'Give the file first; its columns are listed here then.')
}

/**
 * @param {FileFacts} facts
 * @param {State['split']} split
 * @param {Actions} act
 */
function pickers(facts, split, act) {
  /** @type {[string, string][]} */
  const columns = [
    ['', 'choose'],
    ...facts.fields.map(({ path }) => /** @type {[string, string]} */ ([path, path])),
  ]
  return [
    el(
      'div',
      { class: 'reading-in' },
      choice('Column', split.column ?? '', columns, (path) => path && act.chooseColumn(path)),
    ),
    ...valuePickers(split, act),
  ]
}

/**
 * @param {State['split']} split
 * @param {Actions} act
 */
function valuePickers({ column, values, test, train }, act) {
  if (column === null) return []
  if (values === null) return [el('p', { class: 'facts' }, 'Counting the values.')]
  if (values.length < 2) return [tooFew(column, values.length)]
  /** @type {[string, string][]} */
  const choices = [
    ['', 'choose'],
    ...values.map(({ value, count: rows }, at) => {
      /** @type {[string, string]} */
      const pair = [String(at), `${value === '' ? '(empty)' : value} · ${plural(rows, 'row')}`]
      return pair
    }),
  ]
  /** @param {string | null} value */
  const at = (value) => {
    const found = values.findIndex((each) => each.value === value)
    return found < 0 ? '' : String(found)
  }
  /** @param {Side} side */
  const pick = (side) => (/** @type {string} */ index) => {
    if (index !== '') act.pickValue(side, values[Number(index)].value)
  }
  return [
    el(
      'div',
      { class: 'reading-in' },
      choice('Judged as test', at(test), choices, pick('test')),
      choice('Searched as training', at(train), choices, pick('train')),
    ),
    test !== null && test === train && el('p', { class: 'sample' }, 'Pick two different values.'),
  ]
}

/**
 * @param {string} column
 * @param {number} found
 */
function tooFew(column, found) {
  const what = found === 1 ? 'holds one value' : 'holds no value'
  return el(
    'div',
    { class: 'error', role: 'alert' },
    el(
      'p',
      null,
      `The column "${column}" ${what}, so there are no two splits to compare. Pick another column.`,
    ),
  )
}
