/** How long a run takes, in words: a range before it is measured, and the unit that fits. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { duration, durations, isLong, piecesOf, typicalSeconds } from '../../web/lib/estimate.js'

test('durations are told in the unit that fits', () => {
  assert.deepEqual([0.2, 1.4, 89, 120, 7200].map(duration), [
    '1 second',
    '1 second',
    '89 seconds',
    '2 minutes',
    '2.0 hours',
  ])
})

test('a range names its unit once where one is enough', () => {
  assert.equal(durations({ least: 2, most: 9 }), '2 to 9 seconds')
  assert.equal(durations({ least: 40, most: 200 }), '40 seconds to 3 minutes')
  assert.equal(durations({ least: 0.1, most: 0.9 }), '1 second')
  assert.equal(durations({ least: 1.2, most: 2 }), '1 to 2 seconds')
  assert.equal(durations({ least: 1800, most: 9000 }), '30 minutes to 2.5 hours')
})

test('longer rows and more of them take longer, more workers less', () => {
  const plan = { rows: { test: 900, train: 100 }, characters: { test: 40_000, train: 5_000 } }
  assert.equal(piecesOf(plan), 45_000 / 4.5 + 2 * 1_000) // 10,000 pieces of text, two ends a row
  const one = typicalSeconds(12_000, 1)
  assert.ok(one.least < one.most)
  assert.deepEqual(typicalSeconds(12_000, 4), { least: one.least / 4, most: one.most / 4 })
})

test('many rows are asked about, and few that take long', () => {
  assert.equal(isLong(2_000, 60), false)
  assert.equal(isLong(2_001, 1), true)
  assert.equal(isLong(300, 61), true)
})

test('the range holds the speeds that were measured on real machines', () => {
  // Model card: 216 rows of 14 pieces a second and worker. DESIGN.md section 4: 50 to 150 short
  // rows a second on a current laptop, told by another page; short is some 14 pieces.
  for (const rowsASecond of [50, 150, 216]) {
    const { least, most } = typicalSeconds(14 * 1_000, 1)
    assert.ok(least <= 1_000 / rowsASecond && 1_000 / rowsASecond <= most, String(rowsASecond))
  }
})
