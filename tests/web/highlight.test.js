import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pieces } from '../../web/lib/highlight.js'

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
