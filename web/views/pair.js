/**
 * The two texts side by side, with what the best training row supplied marked in both.
 *
 * @import { PairSide, PairView, RuleVerdicts } from '../types.d.ts'
 * @import { State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, listed, percent, place, plural } from '../lib/format.js'
import { button } from './controls.js'
import { markBar } from './marks.js'
import { paragraphs } from './texts.js'
import { verdictList } from './verdicts.js'

/**
 * @param {{ pair: PairView | null, error: string | null, n: number, position: string, verdicts: RuleVerdicts | null, open: number[], marks: State['marks'], act: Actions }} props
 *   `position` says which of how many; `verdicts` null where the published rules have not run; `open`
 *   names the record that was chosen, which comes a moment later
 */
export function pairView({ pair, error, n, position, verdicts, open, marks, act }) {
  if (!pair) {
    const text = error ?? 'Choose a row to read it beside its training row.'
    return el('div', { class: 'pair', 'data-empty': true }, el('p', { class: 'empty' }, text))
  }
  const { test, train } = pair
  return el(
    'div',
    { class: 'pair', 'aria-busy': open[0] === test.record ? null : 'true' },
    el(
      'header',
      null,
      el('h3', null, el('bdi', null, test.label || `Record ${count(test.record)}`)),
      el('span', { class: 'walk' }, walkButtons(act), el('span', { class: 'where' }, position)),
      el(
        'span',
        { class: 'places' },
        el('span', { class: 'where' }, whereText(pair)),
        button('Copy numbers', () => act.copy(whereText(pair), 'the row numbers'), {
          kind: 'quiet',
        }),
      ),
    ),
    el(
      'div',
      { class: 'panes' },
      pane('Test', test, dirtyFact(pair), act),
      train ? pane('Training', train, place(train), act) : noTrain(n),
    ),
    train && el('p', { class: 'legend' }, ...legend(pair)),
    verdicts ? verdictList(verdicts) : noVerdicts(),
    markBar({ open, marks, act }),
  )
}

function noVerdicts() {
  return el('p', { class: 'verdicts hint' }, 'Published rules: no verdict on this row yet.')
}

/** @param {PairView} pair */
function dirtyFact({ tokens, dirty_tokens: dirty }) {
  if (dirty === null) return `${plural(tokens, 'token')}, not judged`
  return `${count(dirty)} of ${plural(tokens, 'token')} dirty`
}

/** @param {PairSide} side */
function name(side) {
  return side.label || `record ${count(side.record)}`
}

/** @param {PairView} pair */
function whereText({ test, train }) {
  return train ? `test ${place(test)} · training ${place(train)}` : `test ${place(test)}`
}

/** @param {Actions} act */
export function walkButtons(act) {
  return el(
    'span',
    { class: 'give' },
    button(el('kbd', null, 'k'), () => act.move(-1), { kind: 'quiet', label: 'Row before (k)' }),
    button(el('kbd', null, 'j'), () => act.move(1), { kind: 'quiet', label: 'Next row (j)' }),
  )
}

/**
 * @param {string} title
 * @param {PairSide} side
 * @param {string} fact
 * @param {Actions} act
 */
function pane(title, side, fact, act) {
  const text = side.parts.map((part) => part.text).join('\n\n')
  const many = side.parts.length > 1
  return el(
    'section',
    { class: 'pane', 'aria-label': `${title} text` },
    el(
      'h4',
      null,
      el('span', null, title, ' ', side.label && el('bdi', { class: 'pane-name' }, side.label)),
      el('span', { class: 'pane-fact' }, fact),
      button('Copy', () => act.copy(text, `the ${title.toLowerCase()} text`), {
        kind: 'quiet',
        label: `Copy the ${title.toLowerCase()} text`,
      }),
    ),
    el(
      'div',
      { class: 'pane-texts', tabindex: '0' },
      ...side.parts.flatMap((part) => [
        many && el('p', { class: 'pane-field' }, part.field),
        ...paragraphs(part, (tokens) => `shared run of ${plural(tokens, 'token')}`),
      ]),
    ),
  )
}

/** @param {number} n */
function noTrain(n) {
  return el(
    'section',
    { class: 'pane', 'data-empty': true, 'aria-label': 'Training text' },
    el('h4', null, 'Training'),
    el('p', { class: 'empty' }, `No training row shares a run of ${n} tokens with this row.`),
  )
}

/** @type {Record<NonNullable<PairView['match']>, string>} */
const MATCHES = {
  exact: 'the same row on both sides, as written; too short for a run of n',
  normalized: 'the same row once case and punctuation are folded; no run of n was needed',
  meaning: 'words that stand in both; the nearest training row reads alike',
}

/** @param {PairView} pair */
function legend({
  train,
  best_row_share: share,
  dirty_tokens: dirty,
  tokens,
  longest_span: span,
  other_rows: others,
  runs,
  match,
}) {
  if (match) return [el('mark', null, 'Marked'), `: ${MATCHES[match]}.`]
  const lengths = runs?.length
    ? `in ${runs.length === 1 ? 'a run' : 'runs'} of ${listed(runs.map(String))} words`
    : null
  const parts = [
    el('mark', null, 'Marked'),
    ': what ',
    el('bdi', null, train ? name(train) : ''),
    ` supplies, ${lengths ?? `longest run ${plural(span, 'token')}`}`,
  ]
  if (share !== null) parts.push(`, ${percent(share)} of the test row`)
  parts.push('. ')
  if (others) {
    parts.push(
      `Other training rows cover more of it, ${percent(tokens ? (dirty ?? 0) / tokens : null)} in all; that part is not marked here.`,
    )
  }
  return parts
}
