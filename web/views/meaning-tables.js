/**
 * Tables of the meaning check: pairs, groups, and test rows with their nearest training rows.
 *
 * @import { MeaningGroup, MeaningPair, MeaningResult, MeaningRow } from '../types.d.ts'
 * @import { MeaningState } from '../meaning-state.js'
 * @import { MeaningProps } from './meaning.js'
 * @import { Actions } from '../controller.js'
 * @import { Child } from '../lib/dom.js'
 */

import { el } from '../lib/dom.js'
import { count, plural } from '../lib/format.js'
import { button, choice, scroller } from './controls.js'

const BORDER = 'borderline'

/**
 * A cosine with three decimals, and more where three would put it on the other side.
 *
 * @param {number} cosine
 * @param {number} threshold
 */
export function cosineText(cosine, threshold) {
  for (let digits = 3; digits < 9; digits += 1) {
    const text = cosine.toFixed(digits)
    if (Number(text) >= threshold === cosine >= threshold) return text
  }
  return cosine.toFixed(9)
}

/**
 * @param {MeaningResult} result
 * @param {MeaningProps} props
 */
export function withinPart({ summary, pairs, groups }, { meaning, stale, act }) {
  const open = meaning.live && !stale
  const total = summary.pairs ?? 0
  return el(
    'div',
    { class: 'meaning-tables' },
    section(
      `Pairs, highest cosine first${total > pairs.length ? `: ${count(pairs.length)} of ${count(total)}` : ''}`,
      pairs.length === 0
        ? el('p', { class: 'empty' }, 'No two rows reach this threshold.')
        : table(
            'Pairs that read alike',
            ['Group', 'Row A', 'Row B', 'Cosine', 'Both texts'],
            pairs.map((pair) => pairCells(pair, summary.threshold, open, meaning, act)),
          ),
    ),
    groups.length > 0 &&
      section(
        `Groups${(summary.groups ?? 0) > groups.length ? `: ${count(groups.length)} of ${count(summary.groups ?? 0)}` : ''}`,
        table(
          'Groups of rows that read alike',
          ['Group', 'Rows', 'Lowest pair', 'Note'],
          groups.map((group) => groupCells(group, summary.threshold)),
        ),
      ),
  )
}

/**
 * @param {string} title
 * @param {Child} content
 */
function section(title, content) {
  return el('section', null, el('h3', null, title), content)
}

/**
 * @param {string} label
 * @param {string[]} heads
 * @param {HTMLElement[]} rows
 */
function table(label, heads, rows) {
  return scroller(
    label,
    el(
      'table',
      { class: 'data small' },
      el('caption', { class: 'unseen' }, label),
      el('thead', null, el('tr', null, ...heads.map((head) => el('th', { scope: 'col' }, head)))),
      el('tbody', null, ...rows),
    ),
  )
}

/**
 * @param {MeaningPair} pair
 * @param {number} threshold
 * @param {boolean} open
 * @param {MeaningState} meaning
 * @param {Actions} act
 */
function pairCells(pair, threshold, open, { selected }, act) {
  const key = `${pair.a_index}-${pair.b_index}`
  const cosine = cosineText(pair.cosine, threshold)
  return el(
    'tr',
    { key, 'aria-current': selected === key ? 'true' : null },
    el('td', null, count(pair.group)),
    el('td', { class: 'meaning-text' }, named(pair.a_label, pair.a_record, pair.a_text)),
    el('td', { class: 'meaning-text' }, named(pair.b_label, pair.b_record, pair.b_text)),
    el('td', { 'data-number': true }, cosine, pair.borderline && el('small', null, ` ${BORDER}`)),
    el(
      'td',
      null,
      button('Read', () => act.openAlike(pair.a_index, pair.b_index), {
        kind: 'quiet',
        disabled: !open,
        label: `Read records ${pair.a_record} and ${pair.b_record} side by side`,
      }),
    ),
  )
}

const CLIP = 160 // characters of a text in a table cell; the panes have all of it

/**
 * @param {string} label
 * @param {number} record
 * @param {string} text
 */
function named(label, record, text) {
  const short = text.length > CLIP ? `${text.slice(0, CLIP)}…` : text
  return [
    el('b', null, el('bdi', null, label || `record ${count(record)}`)),
    ' ',
    el('bdi', null, short),
  ]
}

/**
 * @param {MeaningGroup} group
 * @param {number} threshold
 */
function groupCells({ group, rows, lowest, chained, members }, threshold) {
  const names = members.map(({ label, record }) => label || `record ${count(record)}`)
  const more = rows - members.length
  const note = chained
    ? 'Chained: its lowest pair is under the threshold. These rows meet through others, so the ends may not read alike.'
    : ''
  return el(
    'tr',
    { key: group },
    el('td', null, count(group)),
    el(
      'td',
      { class: 'meaning-text' },
      ...names.flatMap((name, at) => [at > 0 && ', ', el('bdi', null, name)]),
      more > 0 && ` and ${count(more)} more`,
    ),
    el('td', { 'data-number': true }, cosineText(lowest, threshold)),
    el('td', null, note),
  )
}

/** @type {[string, string][]} */
const SUBSETS = [
  ['', 'all'],
  ['alike', 'read alike'],
  ['few', 'reads alike but shares few words'],
  ['borderline', 'borderline'],
]

const FEW =
  'Read alike, and share no run of 8 words with any training row, the nearest or another one: rules that look for shared words miss these.'

/** @param {MeaningProps} props */
export function nearestPart({ meaning, stale, act }) {
  const { page, ask, live, threshold } = meaning
  if (!page) return null
  const open = live && !stale
  return section(
    `Nearest training rows: ${count(page.rows.length)} of ${count(page.total)}, highest cosine first`,
    el(
      'div',
      null,
      el(
        'div',
        { class: 'table-tools' },
        choice('Show', ask.subset, SUBSETS, (subset) =>
          act.showNearest({ subset: /** @type {typeof ask.subset} */ (subset) }),
        ),
        pager(meaning, open, act),
      ),
      ask.subset === 'few' && el('p', { class: 'hint' }, FEW),
      page.rows.length === 0
        ? el('p', { class: 'empty' }, 'No row passes this filter.')
        : table(
            'Test rows with their nearest training rows',
            [
              'Test row',
              'Nearest training row',
              'Cosine',
              'Shared run',
              'With any row',
              'Both texts',
            ],
            page.rows.map((row) => nearestCells(row, threshold, open, meaning, act)),
          ),
    ),
  )
}

/**
 * @param {MeaningState} meaning
 * @param {boolean} open
 * @param {Actions} act
 */
function pager({ page }, open, act) {
  if (!page || page.total <= page.rows.length) return null
  const next = page.offset + page.rows.length
  const before = Math.max(0, page.offset - 200)
  return el(
    'span',
    { class: 'give' },
    button('Before', () => act.showNearest({ offset: before }), {
      disabled: !open || page.offset === 0,
    }),
    button('Next', () => act.showNearest({ offset: next }), {
      disabled: !open || next >= page.total,
    }),
  )
}

/**
 * @param {MeaningRow} row
 * @param {number} threshold
 * @param {boolean} open
 * @param {MeaningState} meaning
 * @param {Actions} act
 */
function nearestCells(row, threshold, open, { selected }, act) {
  return el(
    'tr',
    {
      key: row.index,
      'data-quiet': !row.alike,
      'aria-current': selected === String(row.index) ? 'true' : null,
    },
    el('td', { class: 'meaning-text' }, named(row.label, row.record, row.text)),
    el('td', { class: 'meaning-text' }, named(row.train_label, row.train_record, row.train_text)),
    el(
      'td',
      { 'data-number': true },
      cosineText(row.cosine, threshold),
      row.borderline && el('small', null, ` ${BORDER}`),
    ),
    el('td', { 'data-number': true }, plural(row.shared_run, 'word')),
    el(
      'td',
      { 'data-number': true },
      row.longest_run ? plural(row.longest_run, 'word') : 'under 5',
    ),
    el(
      'td',
      null,
      button('Read', () => act.openAlike(row.index, null), {
        kind: 'quiet',
        disabled: !open,
        label: `Read test record ${row.record} beside its nearest training row`,
      }),
    ),
  )
}
