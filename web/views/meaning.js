/**
 * Rung 6: which rows read alike, whatever their words. It loads a model, so it waits for a click.
 *
 * @import { WireError } from '../types.d.ts'
 * @import { MeaningEstimate, MeaningState } from '../meaning-state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import {
  duration,
  durations,
  LONG_SECONDS,
  piecesOf,
  ROWS_AT_MOST,
  ROWS_AT_ONCE,
  typicalSeconds,
} from '../lib/estimate.js'
import { count, plural, size } from '../lib/format.js'
import { button, tag, toggle } from './controls.js'
import { meaningFound } from './meaning-found.js'
import { panelOf } from './panel.js'
import { stampView } from './stamp.js'

/** @typedef {{ meaning: MeaningState, gap: string | null, stale: boolean, withText: boolean, open: number[], marks: import('../state.js').State['marks'], narrow: boolean, workers: number, onClean: () => void, act: Actions }} MeaningProps `workers` that a run gets */

/** @param {MeaningProps} props */
export function meaningView(props) {
  const { meaning, stale, act } = props
  const { result } = meaning
  return panelOf(
    { stale, tools: settingsBar(props), name: 'meaning' },
    el('p', { class: 'hint meaning-reads' }, ...readsText(meaning)),
    startBox(props),
    result && meaningFound(result, props),
    limits(),
    result && stampView(result.stamp, act),
  )
}

/** @param {MeaningProps} props */
function settingsBar({ meaning, stale, withText, onClean, act }) {
  const { mode, threshold, live, result } = meaning
  const enabled = live && !stale && meaning.status === 'done'
  const shown = threshold.toFixed(2)
  return el(
    'div',
    { class: 'tools', role: 'group', 'aria-label': 'Settings of the meaning check' },
    el(
      'span',
      { class: 'presets' },
      button('within the test file', () => act.setMode('within'), { pressed: mode === 'within' }),
      button('test to training', () => act.setMode('across'), { pressed: mode === 'across' }),
    ),
    el(
      'span',
      { class: 'number' },
      el('span', { class: 'field-name', 'aria-hidden': 'true' }, 'cosine from'),
      el('input', {
        type: 'range',
        'aria-label': 'Cosine threshold',
        'aria-valuetext': shown,
        min: 70,
        max: 99,
        step: 1,
        value: Math.round(threshold * 100),
        on: { input: (event) => act.setThreshold(Number(event.target.value) / 100) },
      }),
      el('output', { class: 'meaning-threshold' }, shown),
    ),
    meaning.example && tag('example', 'example'),
    stale && tag('outdated', 'stale'),
    el('span', { class: 'tools-gap' }),
    result &&
      exports(mode, enabled, withText, act, [
        cleaning(mode, enabled, Boolean(result.stamp.picked), onClean),
      ]),
  )
}

/**
 * @param {MeaningState['mode']} mode
 * @param {boolean} enabled
 * @param {boolean} withText
 * @param {Actions} act
 * @param {HTMLElement[]} more buttons
 */
function exports(mode, enabled, withText, act, more) {
  /** @type {[string, string][]} */
  const files =
    mode === 'across'
      ? [['nearest.csv', 'Nearest CSV']]
      : [
          ['pairs.csv', 'Pairs CSV'],
          ['groups.csv', 'Groups CSV'],
        ]
  return el(
    'span',
    { class: 'exports' },
    toggle('with text', withText, act.switchText),
    ...[...files, ['meaning.json', 'JSON']].map(([what, label]) =>
      button(label, () => act.saveMeaning(what), {
        disabled: !enabled,
        label: `Download ${label}`,
        title: enabled ? undefined : 'Downloads come with a result of the files above',
      }),
    ),
    ...more,
    button('Clear', act.clearMeaning, { kind: 'quiet', label: 'Clear vectors and result' }),
  )
}

/**
 * @param {MeaningState['mode']} mode
 * @param {boolean} enabled
 * @param {boolean} partly only some of the rows were compared
 * @param {() => void} onClean
 */
function cleaning(mode, enabled, partly, onClean) {
  const why = partly
    ? 'Only some of the rows were compared, so others may read alike too'
    : 'Comes with a result of the files above'
  const name = mode === 'across' ? 'Test file without these' : 'Test file, one row a group'
  return button(name, onClean, {
    disabled: !enabled || partly,
    title: enabled && !partly ? undefined : why,
    label: `Download the ${name.toLowerCase()}`,
  })
}

/** @param {MeaningState} meaning */
function readsText({ plan, mode }) {
  if (!plan) return ['Reads one text column: the first one ticked above.']
  const { test, train } = plan.columns
  const rows = plural(plan.rows.test, 'row')
  const first = [`Reads the column `, el('b', null, el('bdi', null, test)), ` of ${rows}`]
  if (mode === 'within' || train === null) return [...first, '.']
  const there = plural(plan.rows.train, 'training row')
  return [...first, ` and `, el('b', null, el('bdi', null, train)), ` of ${there}.`]
}

/**
 * What stands between a person and the run, one at a time.
 *
 * @param {MeaningProps} props
 */
function startBox(props) {
  const { meaning, gap, stale, act } = props
  const { status, modelBytes, plan, error } = meaning
  if (status === 'running' || status === 'looking') return progressBox(meaning, act)
  if (status === 'asking') return askBox(meaning, act)
  if (meaning.live && !stale && !meaning.example) return null
  if (meaning.example && !meaning.result) return box('Looking up the stored example.')
  if (modelBytes === null) {
    return box(
      'This copy of the page was made without the model, so this check cannot run here. The larger saved copy, leakladder-offline.html, and the page on its site have it; so does the command line.',
    )
  }
  if (gap !== null) return box(gap)
  if (!plan) return box(error ? error.message : 'Counting the rows.')
  const largest = Math.max(plan.rows.test, plan.rows.train)
  return el(
    'div',
    { class: 'meaning-start' },
    status === 'failed' && failed(error),
    status === 'stopped' && el('p', null, 'Stopped; nothing half done was kept.'),
    largest > ROWS_AT_MOST ? tooMany(props, largest) : startButton(props, largest),
  )
}

/** @param {string} text */
function box(text) {
  return el('div', { class: 'meaning-start' }, el('p', { class: 'empty' }, text))
}

/** @param {WireError | null} error */
function failed(error) {
  return el('p', { class: 'callout', role: 'alert' }, error?.message ?? 'The check failed.')
}

/**
 * @param {MeaningProps} props
 * @param {number} largest
 */
function startButton({ meaning, workers, act }, largest) {
  const { modelIn, modelInside, modelBytes } = meaning
  const fetches = modelIn
    ? 'The model is in already; nothing is fetched.'
    : `${modelInside ? 'Unpacks' : 'Fetches'} the model, ${size(modelBytes ?? 0)} from this ${modelInside ? 'file' : 'site'}, once. Your rows stay in this tab.`
  const first = `The speed is measured on the first rows${largest > ROWS_AT_ONCE ? ', and you are asked before it goes on.' : `; if all of them will take over ${duration(LONG_SECONDS)}, you are asked.`}`
  return el(
    'div',
    { class: 'meaning-go' },
    button(
      modelIn ? 'Compare meanings' : 'Load the model and compare meanings',
      () => act.startMeaning(),
      { kind: 'primary', key: 'start' },
    ),
    el('p', { class: 'hint' }, `${fetches} ${timeText(meaning, workers)} ${first}`),
  )
}

/**
 * How long embedding will take: by the speed of this machine where it has been measured, else a
 * range over machines, called what it is.
 *
 * @param {MeaningState} meaning
 * @param {number} workers
 */
function timeText({ plan, speed }, workers) {
  if (!plan) return ''
  const rows = plural(plan.rows.test + plan.rows.train, 'row')
  const pieces = piecesOf(plan)
  if (speed) {
    return `${rows}: about ${duration(pieces / speed)} at the speed measured here before.`
  }
  const range = durations(typicalSeconds(pieces, workers))
  return `${rows}: an estimated ${range} on usual machines; nothing has been measured on this one yet.`
}

/**
 * @param {MeaningProps} props
 * @param {number} largest
 */
function tooMany({ meaning, workers, act }, largest) {
  const flagged = meaning.plan?.flagged ?? 0
  return el(
    'div',
    { class: 'meaning-go' },
    el(
      'p',
      null,
      `${timeText(meaning, workers)} A file of ${plural(largest, 'row')} is also too much for a tab's memory; up to ${count(ROWS_AT_MOST)} rows a file are compared here. The command line takes them all. Or compare a part:`,
    ),
    button(
      `A fixed sample of ${count(ROWS_AT_MOST)} rows a file`,
      () => act.startMeaning('sample'),
      { kind: 'primary' },
    ),
    flagged > 0 &&
      button(`The ${plural(flagged, 'test row')} that other checks caught`, () =>
        act.startMeaning('flagged'),
      ),
  )
}

/**
 * @param {MeaningState} meaning
 * @param {Actions} act
 */
function askBox({ estimate }, act) {
  return el(
    'div',
    { class: 'meaning-start', role: 'alertdialog', 'aria-label': 'Go on with many rows?' },
    el('p', null, `${estimate ? estimateText(estimate) : ''} Go on?`),
    button('Go on', () => act.confirmMeaning(true), { kind: 'primary', key: 'go' }),
    button('Leave it', () => act.confirmMeaning(false), { key: 'leave' }),
  )
}

/** @param {MeaningEstimate} estimate */
function estimateText({ seconds, measured, rows }) {
  return `Measured on the first ${plural(measured, 'row')}: the other ${count(rows - measured)} take about ${duration(seconds)}.`
}

/**
 * @param {MeaningState} meaning
 * @param {Actions} act
 */
function progressBox({ status, progress, estimate, result }, act) {
  if (status === 'looking' && !progress) {
    const many = (result?.summary.compared ?? 0) > ROWS_AT_ONCE
    return many ? box('Recomputing at the new threshold.') : null
  }
  const { phase, done, total, rate, left } = progress ?? {
    phase: 'Starting',
    done: 0,
    total: 0,
    rate: null,
    left: null,
  }
  const bytes = phase === 'Fetching the model'
  const words = [phase]
  if (total)
    words.push(bytes ? `${size(done)} of ${size(total)}` : `${count(done)} of ${count(total)}`)
  if (rate && phase === 'Embedding') words.push(`${count(rate)} rows/s`)
  if (left !== null && !bytes) words.push(`about ${duration(left)} left`)
  return el(
    'div',
    { class: 'meaning-start' },
    el('progress', { max: total || null, value: total ? done : null, 'aria-label': phase }),
    el('p', { class: 'meaning-progress' }, words.join(' · ')),
    estimate && phase === 'Embedding' && el('p', { class: 'hint' }, estimateText(estimate)),
    button('Cancel', act.stopMeaning, { key: 'cancel' }),
  )
}

function limits() {
  return el(
    'details',
    { class: 'reading meaning-limits' },
    el('summary', null, 'What this can and cannot tell'),
    el('ul', null, ...LIMITS.map((text) => el('li', null, text))),
  )
}

const LIMITS = [
  '“Reads alike” means that a small language model puts two texts close together. It is a hint for your eyes, not a verdict on where a row came from.',
  'A changed number or a “not” moves the vector little: such pairs also score above 0.9. Compare the two texts before you act.',
  'The model was trained on English. Other languages are compared less well; rows in a script it does not know are counted apart.',
  'It reads the first 256 word pieces of a row. Rows that go on after that are counted, and only their beginning was compared.',
  'Every pair was compared, so the shares have no sampling error and no interval beside them.',
  'No one can redo a cosine by hand. The stamp names model, file hash and settings, so the same numbers can be traced and made again with the same files.',
]
