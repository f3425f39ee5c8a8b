/**
 * Rung 6, which loads a model and so waits for a click.
 */

import { el } from '../lib/dom.js'

export function meaningView() {
  return el(
    'div',
    { class: 'panel-empty' },
    el('p', { class: 'empty' }, 'This check is not part of this version yet.'),
  )
}
