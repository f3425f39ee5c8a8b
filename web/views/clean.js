/**
 * The dialog that writes a file without the rows that were found: which side, by which rungs and
 * marks; then what was left out, before the file is handed over.
 *
 * @import { CleanSummary, MarkName, Side } from '../types.d.ts'
 * @import { State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, plural } from '../lib/format.js'
import { button, choice, toggle } from './controls.js'
import { howLink } from './how.js'
import { MARK_TITLES, MARKS, verdictRules } from './names.js'

/** @typedef {{ name: string, label: string, onTrain?: string, on: boolean }} Reason `onTrain` is the label on the training side, where it is another; '' where it does not apply */
/** @typedef {{ name: 'groups' | 'meaning', threshold: number } | null} Alike what reads alike, if a run says so */

/**
 * @param {{ state: State, alike: Alike, act: Actions }} props the state when the dialog was opened; it
 *   is modal, so nothing changes under it
 * @returns {HTMLDialogElement} to be shown with `showModal`; closed, it stops what it had begun and
 *   takes itself away
 */
export function cleanDialog({ state, alike, act }) {
  const reasons = reasonsOf(state, alike)
  /** @type {{ side: Side, by: Set<string>, drop: Set<string>, keep: Set<string> }} */
  const chosen = {
    side: 'test',
    by: new Set(reasons.flatMap(({ name, on }) => (on ? [name] : []))),
    drop: new Set(),
    keep: new Set(),
  }
  /** @type {CleanSummary | null} */
  let made = null
  let counting = new AbortController()

  /** @type {Map<string, HTMLElement>} */
  const boxes = new Map()
  const report = el('div', { class: 'clean-report', role: 'status' })
  const give = button('Download', () => hand(), { kind: 'primary' })
  const close = button('Close', () => dialog.close())
  const dialog = /** @type {HTMLDialogElement} */ (
    el(
      'dialog',
      {
        class: 'sheet',
        'aria-label': 'Download without flagged rows',
        on: { close: leave },
      },
      el('h2', null, 'Download without flagged rows ', howLink('clean', 'what is left out')),
      choice('File', 'test', sidesOf(state), (side) => {
        chosen.side = /** @type {Side} */ (side)
        for (const reason of reasons) relabel(reason)
        void show()
      }),
      group('Leave out rows by', reasons, chosen.by),
      marksOf(state).length > 0 && group('and rows marked', marksOf(state), chosen.drop),
      marksOf(state).length > 0 && group('but keep rows marked', marksOf(state), chosen.keep),
      report,
      el('div', { class: 'give' }, give, close),
    )
  )

  function leave() {
    counting.abort()
    dialog.remove()
  }

  /** @param {Reason} reason */
  function relabel(reason) {
    const box = boxes.get(reason.name)
    const label = labelOf(reason, chosen.side)
    if (!box?.lastChild) return
    box.hidden = label === ''
    box.lastChild.textContent = label
  }

  /**
   * @param {string} title
   * @param {{ name: string, label: string }[]} items
   * @param {Set<string>} set
   */
  function group(title, items, set) {
    return el(
      'fieldset',
      { class: 'reasons' },
      el('legend', null, title),
      ...items.map(({ name, label }) => {
        const box = toggle(label, set.has(name), (on) => {
          if (on) set.add(name)
          else set.delete(name)
          void show()
        })
        boxes.set(name, box)
        return box
      }),
    )
  }

  async function show() {
    counting.abort()
    counting = new AbortController()
    const { signal } = counting
    made = null
    give.setAttribute('aria-disabled', 'true')
    const hint = el('p', { class: 'hint' }, 'Counting the rows that go')
    report.replaceChildren(hint)
    /** @param {string} phase @param {number} done @param {number} total */
    const tell = (phase, done, total) => {
      if (total > 0) hint.textContent = `${phase}, ${Math.floor((100 * done) / total)}%`
    }
    const { side, by, drop, keep } = chosen
    const names = reasons.filter((each) => by.has(each.name) && labelOf(each, side) !== '')
    const choiceMade = {
      side,
      by: names.map(({ name }) => name),
      drop_marks: [...drop],
      keep_marks: [...keep],
    }
    const found = await act.clean(choiceMade, { signal, tell })
    if (signal.aborted) return
    if (typeof found === 'string') {
      report.replaceChildren(el('p', { class: 'error', role: 'alert' }, found))
      return
    }
    made = found
    report.replaceChildren(...summaryParts(found, reasons, side))
    give.removeAttribute('aria-disabled')
  }

  function hand() {
    if (!made) return
    void act.saveCleaned(made)
    dialog.close()
  }

  queueMicrotask(() => void show())
  return dialog
}

const ALIKE = {
  groups: { test: 'Groups that read alike, all but one row each', train: '' },
  meaning: { test: 'Reads alike with a training row', train: 'Reads alike with a test row' },
}

/** @param {State} state */
function sidesOf({ mode, slots, split }) {
  /** @type {[string, string][]} */
  const two = [['test', `test: ${slots.test.name}`]]
  if (slots.train.status === 'ready') two.push(['train', `training: ${slots.train.name}`])
  /** @type {[string, string][]} */
  const one = [
    ['test', `test rows (${split.test}) of ${slots.test.name}`],
    ['train', `training rows (${split.train}) of ${slots.test.name}`],
  ]
  return mode === 'one' ? one : two
}

/**
 * What rows can go by, of the checks that have run: rows and n-grams are ticked.
 *
 * @param {State} state
 * @param {Alike} alike
 * @returns {Reason[]}
 */
function reasonsOf({ rungs: { rows, ngrams, rules }, tab }, alike) {
  /** @type {Reason[]} */
  const found = []
  if (rows.live) {
    found.push({ name: 'exact', label: 'Exact row', on: true })
    found.push({ name: 'normalized', label: 'Normalized row', on: true })
    if (rows.summary.identifier_note !== 'no-id') {
      found.push({ name: 'identifier', label: 'Identifier', on: false })
    }
  }
  if (ngrams.live) {
    const label = `Shared run of ${ngrams.summary.stamp.n} tokens`
    found.push({ name: 'ngrams', label, on: true })
  }
  if (rules.live) {
    for (const { name, title } of verdictRules(rules.summary.rules)) {
      found.push({ name, label: title, on: false })
    }
  }
  if (rows.live) found.push({ name: 'repeats', label: 'Repeats, all but one', on: false })
  if (alike) {
    const { name, threshold } = alike
    const from = ` (cosine ${threshold.toFixed(2)} or above)`
    const { test, train } = ALIKE[name]
    const onTrain = train && train + from
    found.push({ name, label: test + from, onTrain, on: tab === 'meaning' })
  }
  return found
}

/** @param {State} state */
function marksOf({ marks }) {
  const said = Object.values(marks.of)
  return MARKS.flatMap((name) => {
    const rows = said.filter(({ mark }) => mark === name).length
    return rows ? [{ name, label: `${MARK_TITLES[name]} (${count(rows)})` }] : []
  })
}

/**
 * @param {CleanSummary} summary
 * @param {Reason[]} reasons
 * @param {Side} side
 */
function summaryParts(summary, reasons, side) {
  const { name, rows, kept, left_out: out, rewritten, by, spared, notes } = summary
  const bad = summary.bad_left_out
  const lines = [
    `${plural(out, 'row')} of ${count(rows)} will be left out; ${plural(kept, 'row')} ${kept === 1 ? 'stays' : 'stay'}.`,
    rewritten
      ? 'The file cannot be cut byte for byte, so it is written anew as JSONL in UTF-8.'
      : 'The rows that stay are byte for byte as they were.',
    bad > 0 && `${plural(bad, 'record')} that could not be read are not in it either.`,
    spared > 0 && `Kept by your marks: ${plural(spared, 'flagged row')}.`,
    ...notes.filter((note) => !rewritten || !note.startsWith('Written as JSONL')),
  ]
  return [
    el(
      'ul',
      { class: 'clean-lines' },
      el('li', null, el('strong', null, el('bdi', null, name))),
      ...lines.map((line) => line && el('li', null, line)),
    ),
    el(
      'ul',
      { class: 'clean-by', 'aria-label': 'Rows by reason' },
      ...Object.entries(by).map(([reason, count_]) =>
        el('li', null, `${reasonName(reason, reasons, side)} `, el('b', null, count(count_))),
      ),
    ),
  ]
}

/**
 * @param {string} reason
 * @param {Reason[]} reasons
 * @param {Side} side
 */
function reasonName(reason, reasons, side) {
  const mark = /** @type {MarkName} */ (reason.replace(/^mark: /, ''))
  if (MARK_TITLES[mark]) return `marked ${MARK_TITLES[mark]}`
  const found = reasons.find(({ name }) => name === reason)
  return found ? labelOf(found, side) : reason
}

/**
 * @param {Reason} reason
 * @param {Side} side
 */
function labelOf({ label, onTrain = label }, side) {
  return side === 'train' ? onTrain : label
}
