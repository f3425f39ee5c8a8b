/**
 * Rung 5: every published rule as a column of one table, the rows on which they part, and the share
 * that any run of n would flag, for every n.
 *
 * @import { RuleColumn, RulesRow, RulesSummary, TablePage } from '../types.d.ts'
 * @import { PanelProps } from './ngrams.js'
 */

import { el } from '../lib/dom.js'
import { count, listed, percent, plural } from '../lib/format.js'
import { choice, headRow, numberControl, scroller } from './controls.js'
import { howLink } from './how.js'
import { markColumn } from './marks.js'
import { pairView } from './pair.js'
import { exportButtons, lookTable, needsResult, panelOf, position } from './panel.js'
import { stampView } from './stamp.js'
import { sweepView } from './sweep.js'
import { anyFlag, verdict } from './verdicts.js'

/** @type {[string, string][]} */
const SUBSETS = [
  ['', 'all rows'],
  ['disagree', 'where rules part'],
  ['flagged', 'flagged by any'],
]

/** @type {[string, string][]} */
const LLAMA_READINGS = [
  ['10', '10 or more'],
  ['11', 'more than 10'],
]

/** @param {PanelProps} props */
export function rulesView(props) {
  const { rung, stale, act } = props
  const { summary, page } = rung
  return panelOf(
    { stale, tools: settingsBar(props) },
    summary ? ruleTable(summary) : null,
    summary && page ? reading(props, summary, page) : needsResult(rung),
    summary ? more(summary, props.narrow) : null,
    summary && stampView(summary.stamp, act),
  )
}

/** @param {PanelProps} props */
function settingsBar({ rung, answerable, settings, drafts, bad, withText, act }) {
  const automatic = settings.rule_n === null
  return el(
    'div',
    { class: 'tools', role: 'group', 'aria-label': 'Settings of this result' },
    choice(
      'GPT-3’s N',
      automatic ? '' : 'own',
      [
        ['', 'by its percentile rule'],
        ['own', 'chosen here'],
      ],
      (value) => act.draft('rule_n', value ? String(rung.summary?.n ?? 13) : ''),
    ),
    !automatic &&
      numberControl({
        name: 'N',
        text: drafts.rule_n,
        value: settings.rule_n ?? 13,
        min: 5,
        max: 50,
        unit: 'words',
        bad: bad.includes('rule_n'),
        onText: (text) => act.draft('rule_n', text),
      }),
    choice('Llama 2 counts runs of', String(settings.llama_min), LLAMA_READINGS, (value) =>
      act.set('llama_min', Number(value)),
    ),
    el('span', { class: 'tools-gap' }),
    exportButtons({ rung: 'rules', enabled: answerable, withText, act }),
  )
}

/** @param {RulesSummary} summary */
function ruleTable(summary) {
  const { rules } = summary
  return el(
    'div',
    { class: 'rulegrid' },
    scroller(
      'Published rules',
      el(
        'table',
        { class: 'data rules' },
        el('caption', { class: 'unseen' }, 'What each published rule calls dirty'),
        el(
          'thead',
          null,
          el(
            'tr',
            null,
            el('td', null, howLink('rules', 'each rule')),
            ...rules.map((rule) => el('th', { scope: 'col', 'data-number': true }, rule.title)),
          ),
        ),
        el(
          'tbody',
          null,
          ruleLine('Share', rules, (rule) => (rule.defined ? percent(rule.share) : 'n/a'), true),
          ruleLine('Rows', rules, rowsOfRule),
          ruleLine('Not judged', rules, (rule) => count(rule.undefined)),
          ruleLine('Unit', rules, (rule) => rule.unit),
          ruleLine('Source', rules, (rule) => rule.source),
        ),
      ),
    ),
    el(
      'details',
      { class: 'reading' },
      el('summary', null, 'How each rule is read here'),
      el(
        'dl',
        { class: 'notes-list' },
        ...rules.flatMap((rule) => [el('dt', null, rule.title), el('dd', null, rule.note)]),
        el('dt', null, 'N of the GPT-3 rule'),
        el('dd', null, whereN(summary)),
      ),
    ),
  )
}

/**
 * @param {string} name
 * @param {RuleColumn[]} rules
 * @param {(rule: RuleColumn) => string} cell
 * @param {boolean} [strong]
 */
function ruleLine(name, rules, cell, strong = false) {
  return el(
    'tr',
    { 'data-strong': strong },
    el('th', { scope: 'row' }, name),
    ...rules.map((rule) => el('td', { 'data-number': true }, cell(rule))),
  )
}

/** @param {RuleColumn} rule */
function rowsOfRule({ flagged, defined, expected }) {
  if (defined === 0) return 'nothing could be checked'
  if (expected === undefined || expected === null) return `${count(flagged)} of ${count(defined)}`
  return `${expected.toFixed(1)} expected of ${count(defined)}`
}

/**
 * @param {PanelProps} props
 * @param {RulesSummary} summary
 * @param {TablePage<RulesRow>} page
 */
function reading({ rung, answerable, open, marks, step, act }, summary, page) {
  const at = page.rows.findIndex(({ index }) => index === rung.selected)
  const verdicts = rung.pair?.verdicts ?? page.rows[at]?.verdicts
  return el(
    'div',
    { class: 'split' },
    lookTable(
      'rules',
      { rung, page, subsets: SUBSETS, step, enabled: answerable, act },
      {
        caption: 'Test rows with each rule’s verdict, disagreements first',
        columns: [...COLUMNS, markColumn(marks)],
        keyOf: ({ index }) => index,
        quiet: ({ verdicts: each }) => !anyFlag(each),
        empty: 'No row passes this filter.',
      },
    ),
    pairView({
      pair: rung.pair,
      error: rung.pairError,
      n: summary.n,
      position: position(page, at),
      verdicts: verdicts ?? null,
      open,
      marks,
      act,
    }),
  )
}

/** @type {import('./table.js').Column<RulesRow>[]} */
const COLUMNS = [
  {
    id: 'label',
    head: 'Row',
    sort: true,
    cell: ({ label, record }) => el('bdi', null, label || `record ${count(record)}`),
  },
  {
    id: 'words',
    head: 'Words',
    number: true,
    sort: true,
    narrow: true,
    cell: ({ words }) => count(words),
  },
  {
    id: 'longest_run',
    head: 'Run',
    hint: 'Longest run of words shared with one training row',
    number: true,
    sort: true,
    cell: ({ longest_run: run }) => count(run),
  },
  { id: 'gpt3', head: 'GPT-3', cell: ({ verdicts }) => verdict(verdicts.gpt3) },
  { id: 'palm', head: 'PaLM', cell: ({ verdicts }) => verdict(verdicts.palm) },
  { id: 'llama2', head: 'Llama 2', cell: ({ verdicts }) => verdict(verdicts.llama2) },
  {
    id: 'gpt4_any',
    head: 'GPT-4',
    hint: 'Any 50-character window found; the probability of three draws is in the pair',
    cell: ({ verdicts }) => verdict(verdicts.gpt4_any),
  },
]

/** @param {RulesSummary} summary */
function whereN({ n, n_from: from, facts }) {
  if (from !== 'percentile') return `${n}, chosen here in place of the percentile rule.`
  const length = facts.percentile_length
  return `${n}: the length at the 5th percentile of rows that hold words, ${length === null ? 'none here' : plural(Number(length), 'word')}, kept within 8 and 13.`
}

/**
 * @param {RulesSummary} summary
 * @param {boolean} narrow
 */
function more(summary, narrow) {
  const { sweep, n } = summary
  return el(
    'div',
    { class: 'two' },
    sweepView({ sweep, n, narrow }),
    el(
      'div',
      { class: 'stack' },
      scroller('Disagreements', disagreementTable(summary)),
      scroller('Facts', factTable(summary)),
    ),
  )
}

/** @param {RulesSummary} summary */
function disagreementTable({ disagreements, rules }) {
  if (disagreements.length === 0) {
    return el('p', { class: 'hint' }, 'The rules agree on every row that they all judge.')
  }
  /** @param {string} name */
  const title = (name) => rules.find((rule) => rule.name === name)?.title ?? name
  return el(
    'table',
    { class: 'data small' },
    el('caption', null, 'Where the rules part ', howLink('rules', 'where the rules part')),
    headRow(['Flagged by these and no other', ['Rows', true]]),
    el(
      'tbody',
      null,
      ...disagreements.map(({ names, count: rows }) =>
        el(
          'tr',
          null,
          el('th', { scope: 'row', class: 'wrap' }, listed(names.map(title))),
          el('td', { 'data-number': true }, count(rows)),
        ),
      ),
    ),
  )
}

/** @param {RulesSummary} summary */
function factTable({ facts, low_evidence: low }) {
  /** @type {[string, string][]} */
  const lines = [
    ['Words of the row at the 5th percentile', known(facts.percentile_length)],
    ['8-word windows that hold a digit', ofAll(facts.windows8)],
    ['13-word windows that hold a digit', ofAll(facts.windows13)],
    ['Characters of the shortest row, as GPT-4’s rule counts', known(facts.shortest_characters)],
    ['Rows under 50 such characters, one window only', count(low)],
  ]
  return el(
    'table',
    { class: 'data small' },
    el('caption', null, 'Facts of the test file ', howLink('rules', 'facts of the test file')),
    el(
      'tbody',
      null,
      ...lines.map(([name, value]) =>
        el(
          'tr',
          null,
          el('th', { scope: 'row', class: 'wrap' }, name),
          el('td', { 'data-number': true }, value),
        ),
      ),
    ),
  )
}

/** @param {number | null} value */
function known(value) {
  return value === null ? 'none' : count(value)
}

/** @param {{ all: number, with_digit: number }} windows */
function ofAll({ all, with_digit: found }) {
  return `${count(found)} of ${count(all)}`
}
