/**
 * How a file was read, and the person's say in it.
 *
 * @import { ReadOptions, Side } from '../types.d.ts'
 * @import { Slot } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { choice, toggle } from './controls.js'

/** @type {[string, string][]} */
const FORMATS = [
  ['', 'as found'],
  ['jsonl', 'JSON lines'],
  ['json', 'JSON'],
  ['csv', 'CSV'],
  ['tsv', 'TSV'],
  ['text', 'text'],
  ['parquet', 'Parquet'],
]

/** @type {[string, string][]} */
const ENCODINGS = [
  ['', 'as found'],
  ['utf-8', 'UTF-8'],
  ['utf-16', 'UTF-16'],
  ['cp1252', 'Windows-1252'],
  ['latin-1', 'Latin-1'],
]

/** @type {[string, string][]} */
const DELIMITERS = [
  ['', 'as found'],
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  ['|', 'bar'],
]

/** @type {[string, string][]} */
const HEADERS = [
  ['', 'as found'],
  ['yes', 'names the columns'],
  ['no', 'is a record'],
]

/**
 * @param {{ side: Side, slot: Slot, open: boolean, act: Actions }} props
 */
export function readingOptions({ side, slot, act }) {
  const { options, facts } = slot
  /** @param {Partial<ReadOptions>} patch */
  const set = (patch) => void act.readAgain(side, patch)
  const format = options.format ?? facts?.format ?? ''
  return el(
    'details',
    { class: 'reading', key: 'reading' },
    el('summary', null, 'How it is read'),
    el(
      'div',
      { class: 'reading-in' },
      choice('Format', options.format ?? '', FORMATS, (value) => set({ format: value || null })),
      choice('Encoding', options.encoding ?? '', ENCODINGS, (value) =>
        set({ encoding: value || null }),
      ),
      ...delimitedOptions(format, options, set),
      format === 'json' && listPath(options, set),
      format === 'text' && textUnit(options, set),
      toggle('leave bad records out', options.skip_bad ?? false, (on) => set({ skip_bad: on })),
    ),
  )
}

/**
 * @param {string} format
 * @param {ReadOptions} options
 * @param {(patch: Partial<ReadOptions>) => void} set
 */
function delimitedOptions(format, options, set) {
  if (format !== 'csv' && format !== 'tsv') return []
  const { header, delimiter } = options
  const shown = header === undefined || header === null ? '' : header ? 'yes' : 'no'
  return [
    choice('Cells end at', delimiter ?? '', DELIMITERS, (value) =>
      set({ delimiter: value || null }),
    ),
    toggle('fill up short rows', options.pad_ragged ?? false, (on) => set({ pad_ragged: on })),
    choice('First line', shown, HEADERS, (value) =>
      set({ header: value ? value === 'yes' : null }),
    ),
  ]
}

/**
 * @param {ReadOptions} options
 * @param {(patch: Partial<ReadOptions>) => void} set
 */
function listPath(options, set) {
  const on = {
    change: (/** @type {any} */ event) => set({ list_path: event.target.value || null }),
  }
  return el(
    'label',
    { class: 'field' },
    el('span', { class: 'field-name' }, 'Records are at'),
    el('input', { type: 'text', placeholder: 'data.rows', value: options.list_path ?? '', on }),
  )
}

/**
 * @param {ReadOptions} options
 * @param {(patch: Partial<ReadOptions>) => void} set
 */
function textUnit(options, set) {
  /** @type {[string, string][]} */
  const units = [
    ['line', 'every line'],
    ['file', 'the whole file'],
  ]
  const value = options.whole_text ? 'file' : 'line'
  return choice('One text is', value, units, (unit) => set({ whole_text: unit === 'file' }))
}
