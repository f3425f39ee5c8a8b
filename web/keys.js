/**
 * The keys: j and k walk through the rows from anywhere, arrows do while a row has the focus; 1 to 5
 * say what the row that is read is.
 *
 * @import { Actions } from './controller.js'
 */

import { MARKS } from './views/names.js'

/**
 * @param {Document} page
 * @param {Pick<Actions, 'move' | 'mark'>} act
 */
export function listenKeys(page, act) {
  page.addEventListener('keydown', (event) => {
    const mark = markOf(event)
    if (mark) act.mark(mark)
    const by = stepOf(event)
    if (by === 0) return
    event.preventDefault()
    const inTable = inRows(page.activeElement)
    void act.move(by).then(() => requestAnimationFrame(() => follow(page, inTable))) // once drawn
  })
}

/** @param {KeyboardEvent} event */
function stepOf({ key, target, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey || !(target instanceof Element)) return 0
  if (inRows(target)) return { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[key] ?? 0
  if (target.closest('input, select, textarea, summary, [role="tab"]')) return 0
  return { j: 1, k: -1 }[key] ?? 0
}

/** @param {KeyboardEvent} event */
function markOf({ key, target, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey || !/^[1-5]$/.test(key)) return null
  if (!(target instanceof Element) || target.closest('input, select, textarea, dialog')) return null
  return MARKS[Number(key) - 1]
}

/** @param {Element | null} element */
function inRows(element) {
  return element?.matches('tbody .opener') ?? false
}

/**
 * Keep the open row in sight and, where the focus was on a row, on it.
 *
 * @param {Document} page
 * @param {boolean} focus
 */
function follow(page, focus) {
  const row = page.querySelector('tbody tr[aria-current="true"]')
  if (!row) return
  if (focus) /** @type {HTMLElement | null} */ (row.querySelector('.opener'))?.focus()
  row.scrollIntoView({ block: 'nearest' })
}
