/**
 * Which fields of a file are compared, and which one names its rows.
 *
 * @import { FileFacts, Side } from '../types.d.ts'
 * @import { Slot } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, plural } from '../lib/format.js'
import { choice } from './controls.js'

const MOST = 300 // fields drawn; a file with more says how many are not

/**
 * @param {Side} side
 * @param {Slot} slot
 * @param {FileFacts} facts
 * @param {Actions} act
 */
export function fieldPicker(side, slot, facts, act) {
  const chosen = slot.fields ?? facts.guess.text
  const shown = facts.fields.slice(0, MOST)
  /** @param {string} path @param {boolean} on */
  const flip = (path, on) => {
    const next = shown
      .map((field) => field.path)
      .filter((each) => (each === path ? on : chosen.includes(each)))
    act.chooseFields(side, next)
  }
  return el(
    'div',
    { class: 'fields' },
    el(
      'div', // a fieldset, in WebKit, puts its legend on a line of its own
      { class: 'field-boxes', role: 'group', 'aria-label': 'Text fields' },
      el('span', { class: 'field-title' }, 'Text'),
      ...shown.map((field) =>
        el(
          'label',
          { class: 'chip', title: sampleText(field), key: field.path },
          el('input', {
            type: 'checkbox',
            checked: chosen.includes(field.path),
            on: { change: (event) => flip(field.path, event.target.checked) },
          }),
          el('span', null, field.path),
        ),
      ),
      shown.length < facts.fields.length &&
        el('span', { class: 'hint' }, `and ${count(facts.fields.length - shown.length)} more`),
    ),
    idPicker(side, slot, facts, act),
    el('p', { class: 'sample' }, sampleLine(facts, chosen)),
  )
}

/** @param {{ filled: number, kind: string, samples: string[] }} field */
function sampleText({ filled, kind, samples }) {
  return [`${kind}, in ${plural(filled, 'row')}`, ...samples.slice(0, 3)].join('\n')
}

/**
 * What the first chosen field holds, so that a wrong guess shows at once.
 *
 * @param {FileFacts} facts
 * @param {string[]} chosen
 */
function sampleLine(facts, chosen) {
  if (chosen.length === 0) return 'Tick at least one field.'
  const field = facts.fields.find(({ path }) => path === chosen[0])
  return field?.samples[0] ?? 'no sample'
}

/**
 * @param {Side} side
 * @param {Slot} slot
 * @param {FileFacts} facts
 * @param {Actions} act
 */
function idPicker(side, slot, facts, act) {
  const value = slot.id ?? facts.guess.id ?? ''
  /** @type {[string, string][]} */
  const choices = [
    ['', 'none'],
    ...facts.fields.map(({ path }) => /** @type {[string, string]} */ ([path, path])),
  ]
  return choice('Id', value, choices, (path) => act.chooseId(side, path))
}
