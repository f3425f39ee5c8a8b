/**
 * The dialog before a link is copied while a person's own files are in: settings only, unless the
 * rows are ticked; and then what that means, before anything is copied.
 */

import { el } from '../lib/dom.js'
import { count } from '../lib/format.js'
import { button, toggle } from './controls.js'

/** @typedef {{ address: string, fits: boolean }} Made `fits` false: too long, not to be copied */

/**
 * @param {{ make: (rows: boolean) => Promise<Made>, most: number, onCopy: (address: string) => void }} props
 *   `most` characters of an address
 * @returns {HTMLDialogElement} to be shown with `showModal`; it takes itself away when closed
 */
export function shareDialog({ make, most, onCopy }) {
  const about = el('p', { class: 'linkbox-about', role: 'status' })
  const line = el('code', { class: 'linkbox-link', tabindex: '0', 'aria-label': 'the link' })
  const copy = button('Copy link', () => take(), { kind: 'primary' })
  const cancel = button('Cancel', () => dialog.close())
  const dialog = /** @type {HTMLDialogElement} */ (
    el(
      'dialog',
      { class: 'linkbox', 'aria-label': 'Copy a link', on: { close: () => dialog.remove() } },
      el('h2', null, 'Copy a link'),
      toggle('include these rows', false, (on) => void show(on)),
      about,
      line,
      el('div', { class: 'give' }, copy, cancel),
    )
  )
  /** @type {Made | null} */
  let made = null

  /** @param {boolean} rows */
  async function show(rows) {
    made = null
    copy.setAttribute('aria-disabled', 'true')
    made = await make(rows)
    const { address, fits } = made
    about.textContent = aboutText(rows, address.length, fits, most)
    about.dataset.tone = fits ? 'plain' : 'bad'
    line.textContent = fits ? address : ''
    if (fits) copy.removeAttribute('aria-disabled')
  }

  function take() {
    if (!made?.fits) return
    onCopy(made.address)
    dialog.close()
  }

  void show(false)
  return dialog
}

/**
 * @param {boolean} rows
 * @param {number} length characters
 * @param {boolean} fits
 * @param {number} most characters
 */
function aboutText(rows, length, fits, most) {
  if (!rows) {
    return 'The link holds the settings and the names of the chosen fields, and nothing of your files. Whoever opens it drops files of their own.'
  }
  if (!fits) {
    return `With these rows the link would have ${count(length)} characters, more than the ${count(most)} that travel safely. Send the files another way, with the link of the settings beside them.`
  }
  return `The link has ${count(length)} characters and holds the text of both files itself. A server does not get that part of an address, but chats, mail, browser history and sync keep it, and whoever has the link can read the rows.`
}
