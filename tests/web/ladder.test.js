import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initialState } from '../../web/state.js'
import { ladderSteps } from '../../web/views/ladder.js'
import { stampWords } from '../../web/views/stamp.js'

const fresh = { rows: false, ngrams: false, rules: false }

test('before anything ran every rung says so', () => {
  const steps = ladderSteps(initialState().rungs, fresh)
  assert.deepEqual(
    steps.map(({ id, note, hits }) => [id, note, hits]),
    ['exact', 'normalized', 'ngram', 'rule', 'meaning', 'id'].map((id) => [id, 'not run', null]),
  )
})

test('a missing id column is not zero matches', () => {
  const { rungs } = initialState()
  const check = { items: 0, test_rows: 0, train_rows: 0, test_share: 0, train_share: 0 }
  const summary = {
    counts: { test: 4, train: 4 },
    exact: check,
    normalized: check,
    identifier: check,
    identifier_note: 'no-id',
  }
  const steps = ladderSteps({ ...rungs, rows: { ...rungs.rows, summary } }, fresh)
  assert.equal(steps[0].hits, 0)
  assert.deepEqual([steps[5].hits, steps[5].note], [null, 'no id column'])
})

test('a meaning run inside one file is no step to the training rows, and says so', () => {
  const { rungs, meaning } = initialState()
  const inside = { ...meaning, live: true, result: { summary: { rows: 6 } } }
  const step = ladderSteps(rungs, fresh, inside)[4]
  assert.deepEqual([step.hits, step.note], [null, 'within one file only'])
})

test('the rule with most flagged rows stands for the rung, not the expected one', () => {
  const { rungs } = initialState()
  const rule = (title, flagged, expected) => ({
    title,
    flagged,
    defined: 10,
    share: flagged / 10,
    expected,
  })
  const summary = { rules: [rule('GPT-3', 3), rule('GPT-4, three draws', 9, 8.2), rule('PaLM', 4)] }
  const steps = ladderSteps({ ...rungs, rules: { ...rungs.rules, summary } }, fresh)
  assert.deepEqual([steps[3].hits, steps[3].of, steps[3].by], [4, 10, 'PaLM'])
})

test('the stamp is shown in its own order, with hashes shortened', () => {
  const stamp = {
    product: 'leakladder 0.1.0',
    algorithm: 1,
    test: { name: 'a.jsonl', sha256: 'ab'.repeat(32), fields: ['q'] },
    train: { name: 'b.csv', delimiter: '\t' },
    left_out: { test: 0, train: 2 },
  }
  assert.deepEqual(stampWords(stamp), [
    'leakladder 0.1.0',
    'algorithm 1',
    'test a.jsonl, sha256 abababababab…, fields [q]',
    'train b.csv, delimiter "\\t"',
    'left out test 0, train 2',
  ])
})
