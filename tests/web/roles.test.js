import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guessRoles, guessSplits } from '../../web/lib/roles.js'

const file = (name, size = 1) => ({ name, size })

const PAIRS = [
  [file('train.jsonl'), file('test.jsonl'), 'test.jsonl'],
  [file('gsm8k_test.jsonl', 9), file('gsm8k_train.jsonl', 1), 'gsm8k_test.jsonl'],
  [file('corpus.csv', 1), file('mmlu-val.csv', 9), 'mmlu-val.csv'],
  [file('a.jsonl', 5), file('sft-mix-07.parquet', 1), 'a.jsonl'],
  [file('latest.jsonl', 9), file('b.jsonl', 1), 'b.jsonl'],
  [file('x.jsonl', 9), file('y.jsonl', 1), 'y.jsonl'],
]

for (const [first, second, expected] of PAIRS) {
  test(`${first.name} and ${second.name}: ${expected} is judged`, () => {
    assert.equal(guessRoles(first, second).test.name, expected)
    assert.equal(guessRoles(second, first).test.name, expected)
  })
}

const values = (...names) => names.map((value) => ({ value, count: 1 }))

test('split values are found by name, whatever their case', () => {
  assert.deepEqual(guessSplits(values('TRAIN', 'Test', 'dev')), { test: 'Test', train: 'TRAIN' })
  assert.deepEqual(guessSplits(values('train', 'validation')), {
    test: 'validation',
    train: 'train',
  })
})

test('values that say nothing are left to the person', () => {
  assert.deepEqual(guessSplits(values('a', 'b', 'latest')), { test: null, train: null })
})
