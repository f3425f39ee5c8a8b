import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  badDrafts,
  initialState,
  isAnswerable,
  isStale,
  missing,
  parseDraft,
  wantedKey,
  wireSettings,
} from '../../web/state.js'
import { reduce } from '../../web/store.js'

const facts = (side, name) => ({
  side,
  name,
  bytes: 10,
  sha256: 'f'.repeat(64),
  rows: 4,
  format: 'jsonl',
  fields: [
    { path: 'id', filled: 4, kind: 'text', samples: [] },
    { path: 'text', filled: 4, kind: 'text', samples: [] },
  ],
  guess: { text: ['text'], id: 'id', split: null },
})

const EXAMPLE = {
  title: 'An example',
  rung: 'ngrams',
  test: { name: 'sample.test.jsonl', text: '' },
  train: { name: 'sample.train.jsonl', text: '' },
  settings: { n: 13 },
  facts: { test: facts('test', 'sample.test.jsonl'), train: facts('train', 'sample.train.jsonl') },
  summary: { flagged: 2 },
  table: { total: 3, offset: 0, rows: [{ index: 0 }] },
  pair: { test: { index: 0 } },
}

const play = (actions, state = initialState()) => actions.reduce(reduce, state)
const give = (side, name) => [
  { type: 'file-taken', side, name, size: 10 },
  { type: 'file-read', side, facts: facts(side, name) },
]
const example = { type: 'example-shown', name: 'ngrams', example: EXAMPLE }
const both = [...give('test', 'a.jsonl'), ...give('train', 'b.jsonl')]
const ready = { type: 'boot-ready', versions: {} }

/** A run of the n-gram rung that ended well, at whatever the state asks for. */
function finished(state) {
  const key = wantedKey(state, 'ngrams')
  const view = { summary: { flagged: 1 }, page: { rows: [] }, pair: null, selected: null }
  return reduce(state, { type: 'run-done', rung: 'ngrams', key, said: 'done', ...view })
}

test('an unknown action is a bug and throws', () => {
  assert.throws(() => reduce(initialState(), { type: 'no-such' }), /no such action/)
})

test('the example fills both slots, tagged, with its stored result', () => {
  const state = play([example])
  assert.deepEqual([state.slots.test.example, state.slots.train.example], [true, true])
  assert.equal(state.rungs.ngrams.example, true)
  assert.equal(isStale(state, 'ngrams'), false)
  assert.equal(isAnswerable(state, 'ngrams'), false, 'no worker holds a stored result')
})

test('the first file clears the example from both slots and its result', () => {
  const state = play([example, { type: 'file-taken', side: 'train', name: 'mine', size: 3 }])
  assert.equal(state.slots.test.status, 'empty')
  assert.equal(state.slots.train.name, 'mine')
  assert.equal(state.rungs.ngrams.summary, null)
  assert.equal(state.example, null)
})

test('a file over the bound clears the example too', () => {
  const state = play([example, { type: 'file-over', side: 'test', name: 'big', size: 3_000_000 }])
  assert.equal(state.slots.test.status, 'over')
  assert.equal(state.rungs.ngrams.summary, null)
})

test('a result is of its inputs: a new file makes it stale, and it stays', () => {
  const done = finished(play([ready, ...both]))
  assert.equal(isStale(done, 'ngrams'), false)
  assert.equal(isAnswerable(done, 'ngrams'), true)
  const next = play([{ type: 'file-taken', side: 'test', name: 'c', size: 1 }], done)
  assert.equal(isStale(next, 'ngrams'), true)
  assert.deepEqual(next.rungs.ngrams.summary, { flagged: 1 })
  assert.deepEqual(next.rungs.ngrams.names, { test: 'a.jsonl', train: 'b.jsonl' })
})

test('a file that cannot be read leaves the last result, stale', () => {
  const error = { code: 'bad-json', message: 'c, line 2: no' }
  const next = play(
    [
      { type: 'file-taken', side: 'test', name: 'c', size: 1 },
      { type: 'file-refused', side: 'test', error },
    ],
    finished(play([ready, ...both])),
  )
  assert.equal(isStale(next, 'ngrams'), true)
  assert.match(missing(next) ?? '', /test file was not read/)
  assert.equal(next.said, error.message)
})

test('a setting out of range asks for no run, and putting it back ends that', () => {
  const done = finished(play([ready, ...both]))
  const wrong = play([{ type: 'draft-changed', name: 'n', text: '26' }], done)
  assert.deepEqual(badDrafts(wrong), ['n'])
  assert.equal(wantedKey(wrong, 'ngrams'), null)
  assert.equal(isStale(wrong, 'ngrams'), true)
  assert.equal(wrong.settings.n, 13)
  const back = play([{ type: 'draft-changed', name: 'n', text: '13' }], wrong)
  assert.equal(isStale(back, 'ngrams'), false)
})

test('n matters to n-grams alone, the articles to rows alone', () => {
  const state = play(both)
  const n = play([{ type: 'draft-changed', name: 'n', text: '8' }], state)
  assert.notEqual(wantedKey(n, 'ngrams'), wantedKey(state, 'ngrams'))
  assert.equal(wantedKey(n, 'rows'), wantedKey(state, 'rows'))
  const l9 = play([{ type: 'setting-changed', name: 'strip_articles', value: true }], state)
  assert.equal(wantedKey(l9, 'ngrams'), wantedKey(state, 'ngrams'))
  assert.notEqual(wantedKey(l9, 'rows'), wantedKey(state, 'rows'))
})

test('no ticked field asks for no run', () => {
  const state = play([...both, { type: 'fields-chosen', side: 'train', fields: [] }])
  assert.equal(wantedKey(state, 'ngrams'), null)
})

test('chosen fields outlive a new file that has them, and only such a one', () => {
  const chosen = play([
    ...give('test', 'a'),
    { type: 'fields-chosen', side: 'test', fields: ['id'] },
  ])
  const read = (paths) =>
    reduce(chosen, {
      type: 'file-read',
      side: 'test',
      facts: { ...facts('test', 'b'), fields: paths.map((path) => ({ path })) },
    })
  assert.deepEqual(read(['id', 'x']).slots.test.fields, ['id'])
  assert.equal(read(['x']).slots.test.fields, null)
})

test('one-file mode needs a column and two different values', () => {
  const one = play([{ type: 'mode-chosen', mode: 'one' }, ...give('test', 'all')])
  assert.match(missing(one) ?? '', /split column/)
  const values = [
    { value: 'train', count: 9 },
    { value: 'test', count: 3 },
  ]
  const split = play(
    [
      { type: 'split-column', column: 'split' },
      { type: 'split-values', column: 'split', values },
    ],
    one,
  )
  assert.deepEqual(wireSettings(split).split, { column: 'split', test: 'test', train: 'train' })
  assert.equal(missing(split), null)
  const same = play([{ type: 'split-picked', side: 'train', value: 'test' }], split)
  assert.match(missing(same) ?? '', /different values/)
})

test('values of a column that is no longer chosen are dropped', () => {
  const state = play([
    { type: 'split-column', column: 'b' },
    { type: 'split-values', column: 'a', values: [] },
  ])
  assert.equal(state.split.values, null)
})

test('a pair that comes after another row was opened is dropped', () => {
  const state = play([
    { type: 'row-selected', rung: 'ngrams', index: 1 },
    { type: 'row-selected', rung: 'ngrams', index: 2 },
    { type: 'pair-came', rung: 'ngrams', index: 1, pair: { test: { index: 1 } } },
  ])
  assert.equal(state.rungs.ngrams.pair, null)
})

test('swap exchanges the slots and makes the result stale', () => {
  const state = play([{ type: 'slots-swapped' }], finished(play([ready, ...both])))
  assert.equal(state.slots.test.name, 'b.jsonl')
  assert.equal(state.slots.test.facts?.side, 'test')
  assert.equal(isStale(state, 'ngrams'), true)
})

test('a failed start stays failed while other parts still arrive', () => {
  const error = { code: 'internal', message: 'worker.js: the server answered 404' }
  const state = play([
    { type: 'boot-failed', error },
    { type: 'boot-progress', status: 'loading', step: 'fetching Python', done: 1, total: 2 },
  ])
  assert.equal(state.boot.status, 'failed')
  assert.deepEqual(state.boot.error, error)
})

test('a run that is stopped leaves open what the worker holds, so it answers nothing', () => {
  const done = finished(play([ready, ...both]))
  const asked = [
    { type: 'run-started', rung: 'ngrams', key: 'another' },
    { type: 'run-stopped', rung: 'ngrams' },
  ]
  const state = play(asked, done)
  assert.equal(isStale(state, 'ngrams'), false)
  assert.equal(isAnswerable(state, 'ngrams'), false)
})

test('progress leaves the results as they are, so that no table is drawn again for it', () => {
  const done = finished(play([ready, ...both]))
  const progress = { phase: 'scan', done: 1, total: 2 }
  const state = play([{ type: 'run-progress', rung: 'rules', progress }], done)
  assert.equal(state.rungs, done.rungs)
  assert.deepEqual(state.progress.rules, progress)
})

test('a replaced worker holds no results', () => {
  const done = finished(play([ready, ...both]))
  const state = play([{ type: 'worker-replaced' }], done)
  assert.equal(isStale(state, 'ngrams'), false)
  assert.equal(isAnswerable(state, 'ngrams'), false)
})

test('drafts are whole numbers in range', () => {
  assert.equal(parseDraft('n', '13'), 13)
  for (const text of ['4', '26', '', '1e1', '8.5', '-8', 'x']) {
    assert.equal(parseDraft('n', text), undefined, text)
  }
  assert.equal(parseDraft('threshold', '0'), 0)
  assert.equal(parseDraft('threshold', '101'), undefined)
  assert.equal(parseDraft('rule_n', ''), null)
})
