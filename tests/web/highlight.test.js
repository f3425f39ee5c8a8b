import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pieces, slices } from '../../web/lib/highlight.js'

const mark = (start, stop, tokens = 13) => ({ start, stop, tokens })
const flat = (text, marks) => pieces(text, marks).map((piece) => [piece.text, piece.tokens])

test('no marks: the text in one piece', () => assert.deepEqual(flat('abc', []), [['abc', 0]]))

test('an empty text has no pieces', () => assert.deepEqual(flat('', []), []))

test('a mark at the start, one at the end', () => {
  assert.deepEqual(flat('abcdef', [mark(0, 2), mark(4, 6)]), [
    ['ab', 13],
    ['cd', 0],
    ['ef', 13],
  ])
})

test('touching marks stay two', () => {
  assert.deepEqual(flat('abcd', [mark(0, 2, 13), mark(2, 4, 14)]), [
    ['ab', 13],
    ['cd', 14],
  ])
})

test('overlapping marks become one and print nothing twice', () => {
  assert.deepEqual(flat('abcdef', [mark(3, 5, 20), mark(1, 4, 13)]), [
    ['a', 0],
    ['bcde', 20],
    ['f', 0],
  ])
})

test('a mark past the end is cut, an empty one is nothing', () => {
  assert.deepEqual(flat('abc', [mark(2, 9), mark(1, 1)]), [
    ['ab', 0],
    ['c', 13],
  ])
})

test('offsets are UTF-16 units: an astral character before the mark counts as two', () => {
  assert.deepEqual(flat('😀 abc', [mark(3, 6)]), [
    ['😀 ', 0],
    ['abc', 13],
  ])
})

test('pieces always join to the text, and the caller’s marks stay as they were', () => {
  const marks = [mark(5, 9), mark(0, 3), mark(2, 6)]
  const before = structuredClone(marks)
  const text = 'the quick brown fox'
  assert.equal(
    pieces(text, marks)
      .map((piece) => piece.text)
      .join(''),
    text,
  )
  assert.deepEqual(marks, before)
})

test('slices are the same text, none too long, with the marks where they were', () => {
  const text = 'one two 😀😀😀 three\nfour five six seven'.repeat(40)
  const marked = pieces(text, [mark(3, 30), mark(100, 600, 99)])
  for (const size of [2, 3, 7, 16, 100, 5_000]) {
    const cut = slices(marked, size)
    assert.equal(
      cut
        .flat()
        .map((piece) => piece.text)
        .join(''),
      text,
    )
    const tokens = (list) => list.flatMap((piece) => Array(piece.text.length).fill(piece.tokens))
    assert.deepEqual(tokens(cut.flat()), tokens(marked))
    for (const slice of cut) {
      const own = slice.map((piece) => piece.text).join('')
      assert.ok(own.length > 0 && own.length <= size)
      assert.ok(own.isWellFormed(), `cut inside a pair at ${size}`)
    }
  }
  assert.equal(slices(marked, text.length).length, 1)
  assert.deepEqual(slices([], 10), [])
})

test('a slice ends behind white space where there is some near its end', () => {
  const cut = slices(pieces('aaaa bbbb cccc dddd', []), 12)
  assert.deepEqual(
    cut.map(([piece]) => piece.text),
    ['aaaa bbbb ', 'cccc dddd'],
  )
  assert.deepEqual(
    slices(pieces('abcdefgh', []), 3).map(([piece]) => piece.text),
    ['abc', 'def', 'gh'],
  )
})
