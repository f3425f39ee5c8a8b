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
 * Cut pieces into slices that a browser can lay out one by one, behind white space where there is
 * some in the second half of a slice, and never inside a surrogate pair.
 *
 * @param {{ text: string, tokens: number }[]} cut from `pieces`
 * @param {number} size UTF-16 units in a slice at most, at least 2
 * @returns {{ text: string, tokens: number }[][]} together the same text; a mark may go on in the next
 */
export function slices(cut, size) {
  /** @type {{ text: string, tokens: number }[][]} */
  const out = [[]]
  let room = size
  for (const { text, tokens } of cut) {
    for (let at = 0; at < text.length; ) {
      const stop = at + room < text.length ? cutBefore(text, at, at + room, size / 2) : text.length
      if (stop > at) out[out.length - 1].push({ text: text.slice(at, stop), tokens })
      room -= stop - at
      at = stop
      if (at === text.length && room > 0) break
      out.push([])
      room = size
    }
  }
  return out.filter((slice) => slice.length > 0)
}

/**
 * @param {string} text
 * @param {number} start
 * @param {number} limit where to cut at the latest
 * @param {number} back how far white space is looked for
 */
function cutBefore(text, start, limit, back) {
  for (let at = limit; at > Math.max(start, limit - back); at -= 1)
    if (/\s/.test(text[at - 1])) return at
  return isPairAt(text, limit) ? limit - 1 : limit
}

/**
 * @param {string} text
 * @param {number} at
 */
function isPairAt(text, at) {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff
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
