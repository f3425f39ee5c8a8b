/**
 * What the meaning check found: its numbers and notes, the tables, the pair that is read, the chart.
 *
 * @import { MeaningResult } from '../types.d.ts'
 * @import { MeaningState } from '../meaning-state.js'
 * @import { MeaningProps } from './meaning.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, percent, place, plural, verb } from '../lib/format.js'
import { chartFigure, histogramChart } from './charts.js'
import { button } from './controls.js'
import { howLink } from './how.js'
import { markBar } from './marks.js'
import { cosineText, nearestPart, withinPart } from './meaning-tables.js'
import { SAME_ROWS } from './names.js'
import { paragraphs } from './texts.js'

/**
 * @param {MeaningResult} result
 * @param {MeaningProps} props
 */
export function meaningFound(result, props) {
  const { summary } = result
  const { across } = summary
  return el(
    'div',
    { class: 'meaning-found' },
    el(
      'p',
      { class: 'meaning-lead' },
      ...(across ? acrossLead(result) : withinLead(summary)),
      ' ',
      howLink('meaning', 'these numbers'),
    ),
    factList(across ? acrossFacts(summary) : withinFacts(summary)),
    notes(result),
    across ? nearestPart(props) : withinPart(result, props),
    pairPanes(props),
    across && spread(summary, props.narrow),
  )
}

/**
 * The result in the words of the answer above the tabs.
 *
 * @param {MeaningResult['summary']} summary
 * @returns {import('./answer.js').Headline}
 */
export function meaningHeadline(summary) {
  const { across, compared, rows, threshold } = summary
  const asked = across ? across.checked : compared
  const at = `at a cosine of ${threshold.toFixed(2)} or above`
  const apart = asked === rows ? '' : ` Not compared: ${plural(rows - asked, 'row')}.`
  /** @type {import('./answer.js').Headline['figures']} */
  const figures = [] // they stand in the tab, right under this
  if (asked === 0) return { lead: 'Nothing could be compared', rest: '', more: [apart], figures }
  if (across) {
    return {
      lead: `${count(across.reads_alike)} of ${count(asked)}`,
      rest: `test rows read alike with a training row, ${at}`,
      more: [
        `${count(across.few_words)} of them share no run of 8 words with any training row.${apart}`,
      ],
      figures,
    }
  }
  return {
    lead: `${count(summary.rows_in_groups ?? 0)} of ${count(asked)}`,
    rest: `rows read alike with another row of the file, ${at}`,
    more: [
      `They form ${plural(summary.groups ?? 0, 'group')}; with each group counted once, ${plural(summary.effective ?? 0, 'row')} are left.${apart}`,
    ],
    figures,
  }
}

/** @param {MeaningResult['summary']} summary */
function withinLead({ rows_in_groups: inside = 0, compared, groups = 0, threshold, ...rest }) {
  if (compared === 0) return ['Nothing could be compared: no row has text that the model reads.']
  return [
    el('b', null, `${count(inside)} of ${plural(compared, 'row')}`),
    ` ${verb(inside, compared, 'reads', 'read')} alike with another row at ${threshold.toFixed(2)} (${percent(rest.duplicate_share)}), in ${plural(groups, 'group')}.`,
  ]
}

/** @param {MeaningResult} result */
function acrossLead({ summary: { across, threshold }, stamp }) {
  if (!across || across.checked === 0) {
    if (stamp.same_file)
      return ['Nothing could be compared: no two rows have text the model reads.']
    return ['Nothing could be compared: one side has no text that the model reads.']
  }
  return [
    el('b', null, `${count(across.reads_alike)} of ${plural(across.checked, 'test row')}`),
    ` ${verb(across.reads_alike, across.checked, 'reads', 'read')} alike with a training row at ${threshold.toFixed(2)} (${percent(across.share)}); ${count(across.few_words)} of them ${verb(across.few_words, across.reads_alike, 'shares', 'share')} no run of 8 words with any training row.`,
  ]
}

/**
 * @param {MeaningResult['summary']} summary
 * @returns {[string, string][]}
 */
function withinFacts(summary) {
  const { closest, threshold } = summary
  return [
    ['Rows scanned', count(summary.compared)],
    ['Groups', count(summary.groups ?? 0)],
    ['Rows in groups', count(summary.rows_in_groups ?? 0)],
    ['Duplicate share', percent(summary.duplicate_share)],
    ['Effective rows', count(summary.effective ?? 0)],
    ['Pairs', count(summary.pairs ?? 0)],
    ['Closest pair', closest ? cosineText(closest.cosine, threshold) : 'none'],
  ]
}

/**
 * @param {MeaningResult['summary']} summary
 * @returns {[string, string][]}
 */
function acrossFacts({ across, rows }) {
  if (!across) return []
  return [
    ['Test rows', count(rows)],
    ['Compared', count(across.checked)],
    ['Read alike', count(across.reads_alike)],
    ['… but share few words', count(across.few_words)],
    ['Borderline', count(across.borderline)],
    ['Training rows', count(across.train_rows)],
  ]
}

/** @param {[string, string][]} facts */
function factList(facts) {
  return el(
    'dl',
    { class: 'meaning-facts' },
    ...facts.map(([name, value]) => el('div', null, el('dt', null, name), el('dd', null, value))),
  )
}

/** @param {MeaningResult} result */
function notes({ summary, stamp }) {
  const { blank, unreadable, truncated, just_above: above, just_below: below } = summary
  const lines = stamp.same_file ? [SAME_ROWS] : []
  if (blank) lines.push(`${plural(blank, 'row')} without text, not compared.`)
  if (unreadable) {
    lines.push(`${plural(unreadable, 'row')} in a script the model does not read, not compared.`)
  }
  if (truncated) {
    lines.push(
      `${plural(truncated, 'row')} longer than 256 word pieces, compared by the beginning only.`,
    )
  }
  if (above || below) {
    lines.push(
      `Borderline, within 0.010 of the threshold: ${plural(above ?? 0, 'pair')} just above${below === null || below === undefined ? '' : ` and ${count(below)} just below`}.`,
    )
  }
  if (summary.pairs_not_kept) {
    lines.push(
      `${plural(summary.pairs_not_kept, 'pair')} counted and not kept: only the highest million is listed and written.`,
    )
  }
  if (summary.groups) lines.push(WHY, KEEP)
  return el('ul', { class: 'meaning-notes hint' }, ...lines.map((line) => el('li', null, line)))
}

const WHY =
  'Why it matters: an item that stands there twice counts twice, and intervals computed over all rows come out too narrow. Effective rows count each group once.'
const KEEP =
  'Which row to keep, as a rule of thumb: the one with the fullest reference answer; else the one worded as your users would ask.'

/**
 * Both texts with the words they share marked.
 *
 * @param {MeaningProps} props
 */
function pairPanes({ meaning: { pair }, open, marks, act }) {
  if (!pair?.train) return null
  const { test, train } = pair
  return el(
    'section',
    {
      class: 'pair meaning-pair',
      'aria-label': 'The pair that is read',
      'aria-busy': open[0] === test.record ? null : 'true',
    },
    el(
      'div',
      { class: 'panes' },
      pane(pair.within ? 'Row A' : 'Test', test, act),
      pane(pair.within ? 'Row B' : 'Training', train, act),
    ),
    el(
      'p',
      { class: 'legend' },
      el('mark', null, 'Marked'),
      `: words that stand in both. Longest run of words they share: ${count(pair.shared_run)}.`,
    ),
    markBar({ open, marks, act }),
  )
}

/**
 * @param {string} title
 * @param {NonNullable<MeaningState['pair']>['test']} side
 * @param {Actions} act
 */
function pane(title, side, act) {
  const [{ text }] = side.parts
  return el(
    'section',
    { class: 'pane', 'aria-label': `${title} text` },
    el(
      'h4',
      null,
      el('span', null, title, ' ', side.label && el('bdi', { class: 'pane-name' }, side.label)),
      el('span', { class: 'pane-fact' }, place(side)),
      button('Copy', () => act.copy(text, `the text of ${title.toLowerCase()}`), {
        kind: 'quiet',
        label: `Copy the text of ${title.toLowerCase()}`,
      }),
    ),
    el('div', { class: 'pane-texts', tabindex: '0' }, ...paragraphs(side.parts[0])),
  )
}

/**
 * @param {MeaningResult['summary']} summary
 * @param {boolean} narrow
 */
function spread({ across, threshold }, narrow) {
  if (!across || across.checked === 0) return null
  const width = 1 / across.bins.length
  const bins = across.bins.map((rows, at) => ({
    from: at * width,
    to: (at + 1) * width,
    count: rows,
  }))
  const label = 'Nearest cosine'
  return el(
    'div',
    { class: 'spread' },
    chartFigure({
      title: 'Test rows by the cosine of their nearest training row',
      says: `${count(across.reads_alike)} of ${plural(across.checked, 'row')} ${verb(across.reads_alike, across.checked, 'lies', 'lie')} at ${threshold.toFixed(2)} or above.`,
      chart: histogramChart({ bins, threshold, label, narrow }),
      how: 'meaning',
      heads: [label, 'Rows'],
      rows: bins.map(({ from, to, count: rows }) => [
        `${from.toFixed(3)} to ${to.toFixed(3)}`,
        count(rows),
      ]),
    }),
  )
}
