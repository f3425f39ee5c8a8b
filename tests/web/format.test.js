import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count, listed, percent, place, plural, size, verb } from '../../web/lib/format.js'

const SHARES = [
  [0, '0.0%', 'nothing is nothing'],
  [1 / 10_000, '<0.1%', 'a nonzero share never reads 0.0%'],
  [0.00049, '<0.1%', 'just under the first that rounds up'],
  [0.0005, '0.1%', 'half of a tenth rounds up'],
  [2 / 3, '66.7%', 'one decimal'],
  [26 / 83, '31.3%', 'the example'],
  [0.9994, '99.9%', 'below one, plain'],
  [0.9996, '>99.9%', 'below one never reads 100.0%'],
  [1, '100.0%', 'all is all'],
  [null, 'n/a', 'nothing was measured'],
]

for (const [share, text, why] of SHARES) {
  test(`percent: ${why}`, () => assert.equal(percent(share), text))
}

test('count has thousands separators', () => assert.equal(count(1_234_567), '1,234,567'))

test('plural takes the singular for exactly one', () => {
  assert.equal(plural(1, 'row'), '1 row')
  assert.equal(plural(0, 'row'), '0 rows')
  assert.equal(plural(2000, 'entry', 'entries'), '2,000 entries')
})

test('verb is singular after one, and of a single row', () => {
  const forms = [
    [0, 1],
    [1, 1],
    [1, 5],
    [0, 5],
    [2, 5],
  ].map(([part, whole]) => verb(part, whole, 'shares', 'share'))
  assert.deepEqual(forms, ['shares', 'shares', 'shares', 'share', 'share'])
})

test('size uses decimal units', () => {
  assert.equal(size(1), '1 byte')
  assert.equal(size(999), '999 bytes')
  assert.equal(size(1500), '1.5 kB')
  assert.equal(size(731_000), '731 kB')
  assert.equal(size(2_000_000), '2.0 MB')
})

test('listed joins with commas and an and', () => {
  assert.equal(listed([]), '')
  assert.equal(listed(['GPT-3']), 'GPT-3')
  assert.equal(listed(['GPT-3', 'PaLM', 'Llama 2']), 'GPT-3, PaLM and Llama 2')
})

test('place leaves out a line that does not exist', () => {
  assert.equal(place({ record: 1204, line: 1205 }), 'record 1,204, line 1,205')
  assert.equal(place({ record: 3, line: null }), 'record 3')
})
