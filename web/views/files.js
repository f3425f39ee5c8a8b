/**
 * The two slots: what is in them, how it was read, and every way to put something in.
 *
 * @import { Bounds, FileFacts, Side, WireError } from '../types.d.ts'
 * @import { Slot, State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, plural, size } from '../lib/format.js'
import { button, copyLine, tag, toggle } from './controls.js'
import { errorBox } from './errors.js'
import { fieldPicker } from './fields.js'
import { readingOptions } from './reading.js'
import { splitCard } from './split.js'

/** @type {Record<Side, { title: string, role: string, noun: string }>} */
const NAMES = {
  test: { title: 'Test file', role: 'being judged', noun: 'test file' },
  train: { title: 'Training file', role: 'searched', noun: 'training file' },
}

const ACCEPT = '.jsonl,.ndjson,.json,.csv,.tsv,.txt,.parquet,.gz,.zip,.zst'

/**
 * @param {{ slots: State['slots'], mode: State['mode'], split: State['split'], bounds: Bounds, settings: State['settings'], act: Actions }} props
 */
export function filesView({ slots, mode, split, bounds, act }) {
  const one = mode === 'one'
  const second = one
    ? splitCard({ facts: slots.test.facts, split, act })
    : slotCard({ side: 'train', slot: slots.train, bounds, one, act })
  return el(
    'div',
    { class: 'files-in' },
    el(
      'div',
      { class: 'files' },
      slotCard({ side: 'test', slot: slots.test, bounds, one, act }),
      swapButton(slots, one, act),
      second,
    ),
    el(
      'div',
      { class: 'files-foot' },
      toggle('Both splits are in one file', one, (on) => act.chooseMode(on ? 'one' : 'two')),
      el(
        'span',
        { class: 'hint' },
        'Drop files anywhere on this page; two at once fill both slots.',
      ),
    ),
  )
}

/**
 * @param {State['slots']} slots
 * @param {boolean} one
 * @param {Actions} act
 */
function swapButton(slots, one, act) {
  const can = !one && slots.test.status === 'ready' && slots.train.status === 'ready'
  const title = 'Swap the two files'
  return el(
    'div',
    { class: 'swap' },
    button('⇄', act.swap, { title, label: title, disabled: !can }),
  )
}

/** @typedef {{ side: Side, slot: Slot, bounds: Bounds, one: boolean, act: Actions }} CardProps */

/** @param {CardProps} props */
function slotCard(props) {
  const { side, slot, one, act } = props
  const { title, role } = one ? { title: 'File with both splits', role: '' } : NAMES[side]
  return el(
    'article',
    {
      class: 'slot',
      key: side,
      'data-status': slot.status,
      'data-side': side,
      'aria-label': title,
      'aria-busy': slot.status === 'reading' ? 'true' : null,
      on: dropListeners(side, act),
    },
    el(
      'header',
      null,
      el('h2', null, title, ' ', role && el('span', { class: 'role' }, role)),
      slot.example && tag('example', 'example'),
    ),
    ...BODIES[slot.status](props),
  )
}

/**
 * @param {Side} side
 * @param {Actions} act
 */
function dropListeners(side, act) {
  return {
    /** @param {DragEvent} event */
    drop: (event) => {
      event.preventDefault()
      event.stopPropagation()
      document.documentElement.removeAttribute('data-dragging')
      void act.takeFiles([...(event.dataTransfer?.files ?? [])], side)
    },
  }
}

/** @type {Record<Slot['status'], (props: CardProps) => (HTMLElement | false | null)[]>} */
const BODIES = {
  empty: ({ side, bounds, one, act }) => [
    el('p', { class: 'slot-name invite' }, `Drop the ${one ? 'file' : NAMES[side].noun} here`),
    el(
      'p',
      { class: 'facts' },
      `JSONL, JSON, CSV, TSV, Parquet or text, up to ${size(bounds.bytes)} and ${count(bounds.rows)} rows.`,
    ),
    giveRow(side, one, act, 'Choose a file'),
  ],
  reading: ({ slot }) => [
    fileName(slot.name),
    el('p', { class: 'facts' }, `${size(slot.size)} · ${readingText(slot)}`),
    progressBar(slot),
  ],
  ready: (props) => readyBody(props, /** @type {FileFacts} */ (props.slot.facts)),
  refused: ({ side, slot, one, act }) => [
    fileName(slot.name),
    errorBox(side, /** @type {WireError} */ (slot.error), act),
    giveRow(side, one, act, 'Choose another file', true),
    readingOptions({ side, slot, open: false, act }),
  ],
  over: ({ side, slot, bounds, one, act }) => [
    fileName(slot.name),
    el(
      'div',
      { class: 'error', role: 'alert' },
      el(
        'p',
        null,
        el('strong', null, `${count(slot.size)} bytes; this page takes ${count(bounds.bytes)}.`),
        ' Nothing of it was read, because half a file gives a rate for a set nobody has. The command line has no such bound:',
      ),
    ),
    copyLine(act.command(side), 'the command', act.copy),
    giveRow(side, one, act, 'Choose another file', true),
  ],
}

/** @param {Slot} slot */
function readingText({ progress }) {
  if (!progress) return 'waiting for Python'
  const { phase, done, total } = progress
  return total ? `${phase}, ${count(done)} of ${count(total)}` : phase
}

/** @param {Slot} slot */
function progressBar({ progress }) {
  const known = progress?.total ? { max: progress.total, value: progress.done } : {}
  return el('progress', { 'aria-label': 'Reading', ...known })
}

/** @param {string} name */
function fileName(name) {
  return el('p', { class: 'slot-name', title: name }, el('bdi', null, name))
}

/**
 * Ways to give a file: the native chooser, and text pasted into a box.
 *
 * @param {Side} side
 * @param {boolean} one
 * @param {Actions} act
 * @param {string} label
 * @param {boolean} [clearable]
 */
function giveRow(side, one, act, label, clearable = false) {
  const noun = one ? 'file' : NAMES[side].noun
  return el(
    'div',
    { class: 'give', key: 'give' },
    el(
      'label',
      { class: 'btn filebtn' },
      el('span', null, label),
      el('input', {
        type: 'file',
        class: 'unseen',
        accept: ACCEPT,
        multiple: true,
        'aria-label': `${label}: ${noun}`,
        'data-input': side,
        on: {
          change: (event) => {
            void act.takeFiles([...event.target.files], side)
            event.target.value = ''
          },
        },
      }),
    ),
    pasteBox(side, noun, act),
    clearable &&
      button('Clear', () => act.clear(side), { kind: 'quiet', label: `Clear the ${noun}` }),
  )
}

/**
 * @param {Side} side
 * @param {string} noun
 * @param {Actions} act
 */
function pasteBox(side, noun, act) {
  /** @param {any} event */
  const use = (event) => {
    const details = event.target.closest('details')
    const box = details.querySelector('textarea')
    if (box.value.trim() === '') return box.focus()
    void act.takeText(side, box.value)
    box.value = ''
    details.open = false
  }
  return el(
    'details',
    { class: 'paste' },
    el('summary', { class: 'btn', 'data-kind': 'quiet' }, 'Paste text'),
    el(
      'div',
      { class: 'paste-in' },
      el('textarea', {
        rows: '5',
        'aria-label': `Text of the ${noun}`,
        placeholder: 'JSON lines, a JSON list, CSV with a header, or one text a line',
        spellcheck: 'false',
      }),
      el(
        'button',
        { type: 'button', class: 'btn', 'data-kind': 'primary', on: { click: use } },
        'Use this text',
      ),
    ),
  )
}

/**
 * @param {CardProps} props
 * @param {FileFacts} facts
 */
function readyBody({ side, slot, one, act }, facts) {
  return [
    fileName(slot.name),
    el('p', { class: 'facts' }, factLine(facts)),
    fieldPicker(side, slot, facts, act),
    notes(facts),
    giveRow(side, one, act, 'Replace', true),
    readingOptions({ side, slot, open: false, act }),
  ]
}

/** @param {FileFacts} facts */
function factLine(facts) {
  const { rows, bytes, format, encoding, compression, blank_lines: blanks, left_out: left } = facts
  const parts = [plural(rows, 'row'), size(bytes), FORMAT_NAMES[format] ?? format]
  if (encoding) parts.push(encoding.toUpperCase())
  if (compression) parts.push(compression)
  if (blanks) parts.push(plural(blanks, 'blank line'))
  if (left) parts.push(`${plural(left, 'record')} left out`)
  return parts.join(' · ')
}

/** @type {Record<string, string>} */
const FORMAT_NAMES = {
  jsonl: 'JSONL',
  json: 'JSON',
  csv: 'CSV',
  tsv: 'TSV',
  parquet: 'Parquet',
  text: 'text',
}

/** @param {FileFacts} facts */
function notes(facts) {
  if (facts.notes.length === 0) return null
  return el('ul', { class: 'notes' }, ...facts.notes.map((note) => el('li', null, note)))
}
