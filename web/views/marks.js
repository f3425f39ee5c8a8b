/**
 * A person's word on a row: the five marks with their keys, a note, and how it stands in a table.
 *
 * @import { RowMark } from '../types.d.ts'
 * @import { State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, plural } from '../lib/format.js'
import { button } from './controls.js'
import { howLink } from './how.js'
import { MARK_TITLES, MARKS } from './names.js'

/**
 * @param {{ open: number[], marks: State['marks'], act: Actions }} props `open`: records of the test
 *   rows that are being read, as the keys 1 to 5 have them
 */
export function markBar({ open, marks, act }) {
  const said = open.map((record) => marks.of[record])
  const [first] = open
  return el(
    'div',
    { class: 'markbar', role: 'group', 'aria-label': 'Your word on this row' },
    ...MARKS.map((mark, at) =>
      button([el('kbd', null, at + 1), ` ${MARK_TITLES[mark]}`], () => act.mark(mark), {
        pressed: said.length > 0 && said.every((one) => one?.mark === mark),
      }),
    ),
    open.length === 1
      ? el('input', {
          type: 'text',
          class: 'note',
          key: `note-${first}`,
          placeholder: 'Note',
          'aria-label': 'Note on this row',
          maxlength: '500',
          value: said[0]?.note ?? '',
          on: { input: (event) => act.note(first, event.target.value) },
        })
      : el(
          'span',
          { class: 'hint' },
          open.length > 0 && `marks ${plural(open.length, 'test row')}`,
        ),
  )
}

/**
 * A column of a table of test rows.
 *
 * @param {State['marks']} marks
 */
export function markColumn({ of }) {
  return {
    id: 'mark',
    head: 'Mark',
    cell: (/** @type {{ record: number }} */ { record }) => markCell(of[record]),
    beside: (/** @type {{ record: number }} */ { record }) => of[record],
  }
}

/** @param {RowMark | undefined} said */
export function markCell(said) {
  if (!said) return ''
  const { mark, note } = said
  return [
    mark && el('span', { class: 'mark', 'data-mark': mark }, MARK_TITLES[mark]),
    note !== '' && el('span', { class: 'note-sign', title: note }, ' ✎', unseen(', has a note')),
  ]
}

/** @param {string} text */
function unseen(text) {
  return el('span', { class: 'unseen' }, text)
}

/**
 * How many rows were read and what was said of them, with the way to forget it.
 *
 * @param {{ marks: State['marks'], act: Actions }} props
 */
export function markTally({ marks, act }) {
  const said = Object.values(marks.of)
  const counts = MARKS.flatMap((mark) => {
    const rows = said.filter((one) => one.mark === mark).length
    return rows ? [`${count(rows)} ${MARK_TITLES[mark]}`] : []
  })
  const notes = said.filter((one) => one.note !== '').length
  if (notes) counts.push(plural(notes, 'note'))
  const none = 'Nothing marked yet: read a pair, then press 1 to 5.'
  return el(
    'p',
    { class: 'tally' },
    el('span', null, counts.length ? `Marked by you: ${counts.join(', ')}.` : none),
    ' ',
    howLink('marks', 'what to do with a flag'),
    !marks.kept &&
      el(
        'span',
        { class: 'callout' },
        'This browser keeps nothing for this page, so marks last until the tab closes.',
      ),
    said.length > 0 && button('Clear marks', act.clearMarks, { kind: 'quiet' }),
  )
}
