/**
 * A text of a file in a pane, with marks; a long one in paragraphs of which those in sight are laid out.
 *
 * @import { Mark } from '../types.d.ts'
 */

import { el } from '../lib/dom.js'
import { pieces, slices } from '../lib/highlight.js'

const SLICE = 10_000 // characters that are laid out at once

/**
 * @param {{ text: string, marks: Mark[] }} part
 * @param {(tokens: number) => string} [titleOf] what a mark says of its tokens
 */
export function paragraphs({ text, marks }, titleOf) {
  if (text === '') {
    return [el('p', { class: 'text', dir: 'auto' }, el('span', { class: 'hint' }, 'no text'))]
  }
  const cut = slices(pieces(text, marks), SLICE)
  return cut.map((slice) => {
    const parts = slice.map(({ text: piece, tokens }) =>
      tokens ? el('mark', titleOf ? { title: titleOf(tokens) } : null, piece) : piece,
    )
    return el('p', { class: 'text', dir: 'auto', 'data-slice': cut.length > 1 }, ...parts)
  })
}
