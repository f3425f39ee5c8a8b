/**
 * Text and the ranges to mark in it -> pieces, in order, that together are the text again.
 *
 * @import { Mark } from '../types.d.ts'
 */

/**
 * Cut a text at its marks. Marks may touch or overlap; where they do they become one piece with the
 * larger token count, so that no character is printed twice.
 *
 * @param {string} text
 * @param {Mark[]} marks UTF-16 offsets, half-open, in any order
 * @returns {{ text: string, tokens: number }[]} `tokens` is 0 outside the marks
 */
export function pieces(text, marks) {
  const out = []
  let at = 0
  for (const mark of joined(marks, text.length)) {
    if (mark.start > at) out.push({ text: text.slice(at, mark.start), tokens: 0 })
    out.push({ text: text.slice(mark.start, mark.stop), tokens: mark.tokens })
    at = mark.stop
  }
  if (at < text.length) out.push({ text: text.slice(at), tokens: 0 })
  return out
}

/**
 * @param {Mark[]} marks
 * @param {number} length
 */
function joined(marks, length) {
  /** @type {Mark[]} */
  const out = []
  const sorted = marks.toSorted((a, b) => a.start - b.start || a.stop - b.stop)
  for (const { start, stop, tokens } of sorted) {
    const last = out[out.length - 1]
    const end = Math.min(stop, length)
    if (end <= start) continue
    if (last && start < last.stop) {
      last.stop = Math.max(last.stop, end)
      last.tokens = Math.max(last.tokens, tokens)
    } else out.push({ start, stop: end, tokens })
  }
  return out
}
