/**
 * What was compared, how, by which version: under the result it belongs to.
 *
 * @import { Stamp } from '../types.d.ts'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { button } from './controls.js'

/**
 * @param {Stamp} stamp
 * @param {Actions} act
 */
export function stampView(stamp, act) {
  return el(
    'footer',
    { class: 'stamp', 'aria-label': 'Run stamp' },
    el(
      'p',
      null,
      ...stampWords(stamp).flatMap((word, at) => [at > 0 && ' · ', el('span', null, word)]),
    ),
    button('Copy stamp', () => act.copy(JSON.stringify(stamp), 'the run stamp'), { kind: 'quiet' }),
  )
}

/** Where the stamp will stand, as high as it mostly is. */
export function stampPlace() {
  const text = 'Files, hashes, settings and versions of a result stand here, to be copied with it.'
  return el('footer', { class: 'stamp' }, el('p', null, text))
}

/**
 * Whatever the stamp holds, in its order: a new setting shows up here by itself.
 *
 * @param {Stamp} stamp
 * @returns {string[]}
 */
export function stampWords(stamp) {
  return Object.entries(stamp).map(([key, value]) => {
    if (key === 'product') return String(value)
    return `${key.replaceAll('_', ' ')} ${words(value)}`
  })
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function words(value) {
  if (value === null || value === '') return 'none'
  if (Array.isArray(value)) return `[${value.map(words).join(', ')}]`
  if (typeof value === 'object') {
    return Object.entries(/** @type {object} */ (value))
      .map(([key, item]) =>
        key === 'name' ? words(item) : `${key.replaceAll('_', ' ')} ${words(item)}`,
      )
      .join(', ')
  }
  return readable(String(value))
}

/**
 * A hash in full is in the copied stamp and in every download; here its start tells files apart. A
 * delimiter is quoted, so that it can be seen.
 *
 * @param {string} text
 */
function readable(text) {
  if (/^[0-9a-f]{64}$/.test(text)) return `${text.slice(0, 12)}…`
  return /^\W+$/.test(text) ? JSON.stringify(text) : text
}
