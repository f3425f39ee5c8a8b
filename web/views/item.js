/**
 * Reading a finding: the item's text as each side has it, and every place it stands at.
 *
 * @import { ItemView, Place } from '../types.d.ts'
 * @import { State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, plural } from '../lib/format.js'
import { button, tag } from './controls.js'
import { markBar } from './marks.js'
import { walkButtons } from './pair.js'
import { paragraphs } from './texts.js'

/** @type {Record<ItemView['match'], string>} */
const MATCHES = {
  exact: 'Same on both sides, as written',
  normalized: 'Same once case, punctuation and spacing are folded',
  identifier: 'Same id on both sides; the texts may differ',
}

/**
 * @param {{ item: ItemView | null, error: string | null, position: string, open: number[], marks: State['marks'], act: Actions }} props
 */
export function itemView({ item, error, position, open, marks, act }) {
  if (!item) {
    const text = error ?? 'Choose an item to read it as both sides have it.'
    return el('div', { class: 'pair', 'data-empty': true }, el('p', { class: 'empty' }, text))
  }
  const { match, differs, test, train } = item
  return el(
    'div',
    { class: 'pair', 'aria-busy': open[0] === test.rows[0].record ? null : 'true' },
    el(
      'header',
      null,
      el('h3', null, MATCHES[match]),
      differs && tag('differs in a number, sign or symbol', 'stale'),
      el('span', { class: 'walk' }, walkButtons(act), el('span', { class: 'where' }, position)),
    ),
    el('div', { class: 'panes' }, itemPane('Test', test, act), itemPane('Training', train, act)),
    markBar({ open, marks, act }),
  )
}

/**
 * @param {string} title
 * @param {ItemView['test']} side
 * @param {Actions} act
 */
function itemPane(title, { text, rows, more }, act) {
  const places = placesText(rows, more)
  const name = title.toLowerCase()
  return el(
    'section',
    { class: 'pane', 'aria-label': `${title} text` },
    el(
      'h4',
      null,
      el('span', null, title),
      el('span', { class: 'pane-fact' }, plural(rows.length + more, 'row')),
      button('Copy', () => act.copy(text, `the ${name} text`), {
        kind: 'quiet',
        label: `Copy the ${name} text`,
      }),
    ),
    el('div', { class: 'pane-texts', tabindex: '0' }, ...paragraphs({ text, marks: [] })),
    el(
      'p',
      { class: 'pane-places' },
      el('span', null, places),
      button('Copy', () => act.copy(places, `the ${name} row numbers`), {
        kind: 'quiet',
        label: `Copy the ${name} row numbers`,
      }),
    ),
  )
}

/**
 * @param {Place[]} rows
 * @param {number} more
 */
function placesText(rows, more) {
  const lined = rows.every(({ line }) => line !== null)
  const records = `Record ${rows.map(({ record }) => count(record)).join(', ')}`
  const lines = lined ? `; line ${rows.map(({ line }) => count(Number(line))).join(', ')}` : ''
  return `${records}${lines}${more ? ` and ${count(more)} more` : ''}`
}
