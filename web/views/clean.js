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

/**
 * @param {{ state: State, act: Actions }} props the state when the dialog was opened; it is modal, so
 *   nothing changes under it
 * @returns {HTMLDialogElement} to be shown with `showModal`; it takes itself away when closed
 */
export function cleanDialog({ state, act }) {
  const reasons = reasonsOf(state)
  /** @type {{ side: Side, by: Set<string>, drop: Set<string>, keep: Set<string> }} */
  const chosen = {
    side: 'test',
    by: new Set(reasons.flatMap(({ name, on }) => (on ? [name] : []))),
    drop: new Set(),
    keep: new Set(),
  }
  /** @type {CleanSummary | null} */
  let made = null
  let ticket = 0

  const report = el('div', { class: 'clean-report', role: 'status' })
  const give = button('Download', () => hand(), { kind: 'primary' })
  const close = button('Close', () => dialog.close())
  const dialog = /** @type {HTMLDialogElement} */ (
    el(
      'dialog',
      {
        class: 'sheet',
        'aria-label': 'Download without flagged rows',
        on: { close: () => dialog.remove() },
      },
      el('h2', null, 'Download without flagged rows ', howLink('clean', 'what is left out')),
      choice('File', 'test', sidesOf(state), (side) => {
        chosen.side = /** @type {Side} */ (side)
        void show()
      }),
      group('Leave out rows by', reasons, chosen.by),
      marksOf(state).length > 0 && group('and rows marked', marksOf(state), chosen.drop),
      marksOf(state).length > 0 && group('but keep rows marked', marksOf(state), chosen.keep),
      report,
      el('div', { class: 'give' }, give, close),
    )
  )

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
      ...items.map(({ name, label }) =>
        toggle(label, set.has(name), (on) => {
          if (on) set.add(name)
          else set.delete(name)
          void show()
        }),
      ),
    )
  }

  async function show() {
    ticket += 1
    const mine = ticket
    made = null
    give.setAttribute('aria-disabled', 'true')
    report.replaceChildren(el('p', { class: 'hint' }, 'Counting the rows that go'))
    const { side, by, drop, keep } = chosen
    const choiceMade = { side, by: [...by], drop_marks: [...drop], keep_marks: [...keep] }
    const found = await act.clean(choiceMade)
    if (mine !== ticket || !dialog.isConnected) return
    if (typeof found === 'string') {
      report.replaceChildren(el('p', { class: 'error', role: 'alert' }, found))
      return
    }
    made = found
    report.replaceChildren(...summaryParts(found, reasons))
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

/** @param {State} state */
function sidesOf({ mode, slots, split }) {
  /** @type {[string, string][]} */
  const two = [
    ['test', `test: ${slots.test.name}`],
    ['train', `training: ${slots.train.name}`],
  ]
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
 * @returns {{ name: string, label: string, on: boolean }[]}
 */
function reasonsOf({ rungs: { rows, ngrams, rules } }) {
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
 * @param {{ name: string, label: string }[]} reasons
 */
function summaryParts(summary, reasons) {
  const { name, rows, kept, left_out: out, rewritten, by, spared, notes } = summary
  const bad = summary.bad_left_out
  const lines = [
    `${plural(out, 'row')} of ${count(rows)} will be left out; ${plural(kept, 'row')} stay.`,
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
        el('li', null, `${reasonName(reason, reasons)} `, el('b', null, count(count_))),
      ),
    ),
  ]
}

/**
 * @param {string} reason
 * @param {{ name: string, label: string }[]} reasons
 */
function reasonName(reason, reasons) {
  const mark = /** @type {MarkName} */ (reason.replace(/^mark: /, ''))
  return MARK_TITLES[mark]
    ? `marked ${MARK_TITLES[mark]}`
    : (reasons.find(({ name }) => name === reason)?.label ?? reason)
}
