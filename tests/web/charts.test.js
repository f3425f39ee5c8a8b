import assert from 'node:assert/strict'
import { test } from 'node:test'
import { binValues } from '../../web/views/charts.js'

const counts = (bins) => bins.map((bin) => bin.count)

test('a value on a border belongs to the bin that starts there, the last border to the last bin', () => {
  assert.deepEqual(counts(binValues([0, 0.25, 0.5, 0.75, 1], { parts: 4 })), [1, 1, 1, 2])
})

test('borders that binary fractions miss are met all the same', () => {
  const borders = Array.from({ length: 20 }, (_, at) => Number((at * 0.05).toFixed(2)))
  assert.deepEqual(counts(binValues(borders)), Array(20).fill(1))
})

test('what lies outside is counted at the nearer end, so nothing is dropped', () => {
  assert.deepEqual(counts(binValues([-1, 0.4, 3], { from: 0, to: 1, parts: 2 })), [2, 1])
})

test('bins touch and cover the range', () => {
  const bins = binValues([], { from: 0.6, to: 1, parts: 8 })
  assert.equal(bins[0].from, 0.6)
  assert.equal(bins[7].to, 1)
  for (const [at, bin] of bins.slice(1).entries()) assert.equal(bin.from, bins[at].to)
})
