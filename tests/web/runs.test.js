import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelled } from '../../web/rpc.js'
import { createRuns } from '../../web/runs.js'
import { initialState } from '../../web/state.js'
import { createStore, reduce } from '../../web/store.js'

const facts = (side) => ({
  side,
  name: `${side}.jsonl`,
  bytes: 10,
  sha256: 'f'.repeat(64),
  rows: 4,
  format: 'jsonl',
  fields: [{ path: 'text', filled: 4, kind: 'text', samples: [] }],
  guess: { text: ['text'], id: null, split: null },
})
const READY = [
  { type: 'boot-ready', versions: {} },
  ...['test', 'train'].flatMap((side) => [
    { type: 'file-taken', side, name: `${side}.jsonl`, size: 10 },
    { type: 'file-read', side, facts: facts(side) },
  ]),
]
const SUMMARY = {
  ngrams: (n) => ({ checkable: 4, flagged: 1, stamp: { n } }),
  rows: () => ({ exact: { items: 1 } }),
  rules: () => ({ rules: [], rows: 4 }),
}

const later = () => new Promise((resolve) => setTimeout(resolve, 5))

/** Runs over a worker whose answers the test gives; `asked` are its calls that wait, oldest first. */
function setUp(inWorker = () => true) {
  const store = createStore(READY.reduce(reduce, initialState()))
  const asked = []
  const call = (_method, { rung, settings }, { signal }) =>
    new Promise((resolve, reject) => {
      const n = settings.n
      asked.push({ rung, n, signal, answer: () => resolve(SUMMARY[rung](n)), reject })
    })
  const firstView = async () => ({ page: null, pair: null, item: null, selected: null })
  const runs = createRuns({ store, call, inWorker, firstView, onIdle: () => {} })
  const move = (n) => {
    store.dispatch({ type: 'draft-changed', name: 'n', text: String(n) })
    runs.settle()
  }
  return { store, asked, runs, move, last: () => asked[asked.length - 1] }
}

test('a search under way is not begun again for another n; it is looked at again after', async () => {
  const { asked, runs, move, last } = setUp()
  runs.settle()
  await later()
  assert.deepEqual(asked.map(({ rung }) => rung).toSorted(), ['ngrams', 'rows', 'rules'])
  const [first] = asked.filter(({ rung }) => rung === 'ngrams')
  for (const n of [12, 11, 10]) move(n)
  await later()
  assert.equal(asked.length, 3)
  assert.equal(first.signal.aborted, false)
  first.answer()
  await later()
  assert.equal(asked.length, 4)
  assert.deepEqual([last().rung, last().n], ['ngrams', 10])
})

test('other tokens need another search, so the one under way is stopped', async () => {
  const { asked, runs, store, last } = setUp()
  runs.settle()
  await later()
  const [first] = asked.filter(({ rung }) => rung === 'ngrams')
  store.dispatch({ type: 'setting-changed', name: 'tokens', value: 'strict' })
  runs.settle()
  await later()
  assert.equal(first.signal.aborted, true)
  assert.deepEqual([asked.length, last().rung], [4, 'ngrams'])
})

test('what a person stopped stays stopped, though n had been moved meanwhile', async () => {
  const { asked, runs, move, store } = setUp()
  runs.settle()
  await later()
  move(12)
  await later()
  runs.stopRuns()
  for (const { reject } of asked) reject(new Error('stopped'))
  runs.settle()
  await later()
  assert.equal(asked.length, 3)
  assert.equal(store.get().rungs.ngrams.status, 'stopped')
  runs.again()
  await later()
  assert.equal(asked.length, 6)
})

test('a move is asked of the worker at once, without waiting for another one', async () => {
  const { asked, runs, move, last } = setUp()
  runs.settle()
  await later()
  for (const each of [...asked]) each.answer()
  await later()
  move(9)
  await later()
  assert.deepEqual([asked.length, last().n], [4, 9])
})

test('a run asked for while the worker is filled again starts once it is', async () => {
  let filled = true
  const { asked, runs, store } = setUp(() => filled)
  runs.settle()
  await later()
  runs.stopRuns()
  filled = false
  runs.again()
  await later()
  assert.equal(asked.length, 3)
  assert.match(store.get().notice.text, /the check runs as soon as they are in/)
  filled = true
  runs.settle()
  await later()
  assert.deepEqual(
    asked
      .slice(3)
      .map(({ rung }) => rung)
      .toSorted(),
    ['ngrams', 'rows', 'rules'],
  )
})

test('a run whose worker was replaced under it runs again', async () => {
  let filled = true
  const { asked, runs, store } = setUp(() => filled)
  runs.settle()
  await later()
  runs.stopRuns()
  runs.again() // the old worker still lives
  await later()
  assert.equal(asked.length, 6)
  filled = false
  for (const { reject } of asked) reject(cancelled())
  await later()
  assert.equal(store.get().rungs.ngrams.status, 'idle')
  filled = true
  runs.settle()
  await later()
  assert.equal(asked.length, 9)
})

test('Stop also takes back what waits for the worker', async () => {
  let filled = true
  const { asked, runs, store } = setUp(() => filled)
  runs.settle()
  await later()
  runs.stopRuns()
  filled = false
  runs.again()
  runs.stopRuns()
  filled = true
  runs.settle()
  await later()
  assert.equal(asked.length, 3)
  assert.equal(store.get().rungs.ngrams.status, 'stopped')
})
