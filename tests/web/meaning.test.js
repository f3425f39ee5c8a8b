import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchBack, matchRows } from '../../web/meaning-across.js'
import { lowestStored, takeStored } from '../../web/meaning-example.js'
import {
  isMeaningStale,
  meaningKey,
  meaningMissing,
  meaningReason,
} from '../../web/meaning-inputs.js'
import { DIMENSION, embedNodes } from '../../web/meaning-pool.js'
import { countUnreadable, groupRows, lowestOf } from '../../web/meaning-search.js'
import { initialState } from '../../web/state.js'
import { reduce } from '../../web/store.js'
import { cosineText } from '../../web/views/meaning-tables.js'

const quiet = { signal: new AbortController().signal, tell: () => {} }

/** A state with files in both slots. */
function ready() {
  const state = initialState()
  for (const side of ['test', 'train']) {
    state.slots[side] = { ...state.slots[side], status: 'ready', version: 1 }
  }
  return state
}

/** Calls to Python, written down. */
function recorder(replies = {}) {
  const calls = []
  const call = async (method, params, options) => {
    calls.push({ method, params, data: options?.data })
    return replies[method] ?? {}
  }
  return { calls, call }
}

test('inside one file no training file is needed, across it is', () => {
  const state = ready()
  state.slots.train = initialState().slots.train
  assert.equal(meaningMissing(state), null)
  const across = { ...state, meaning: { ...state.meaning, mode: 'across' } }
  assert.equal(meaningMissing(across), 'Waiting for the training file.')
  assert.equal(meaningKey(across), null)
})

test('inside one file a new training file changes nothing', () => {
  const state = ready()
  const slots = { ...state.slots, train: { ...state.slots.train, version: 2 } }
  assert.equal(meaningKey({ ...state, slots }), meaningKey(state))
  const across = { ...state.meaning, mode: 'across' }
  assert.notEqual(
    meaningKey({ ...state, slots, meaning: across }),
    meaningKey({ ...state, meaning: across }),
  )
})

test('without vectors a result stands for its own threshold only', () => {
  const state = ready()
  const result = { summary: { threshold: 0.9 } }
  const meaning = { ...state.meaning, result, key: meaningKey(state), live: false }
  assert.equal(isMeaningStale({ ...state, meaning }), false)
  assert.equal(isMeaningStale({ ...state, meaning: { ...meaning, threshold: 0.8 } }), true)
  const live = { ...meaning, threshold: 0.8, live: true }
  assert.equal(isMeaningStale({ ...state, meaning: live }), false)
  assert.equal(isMeaningStale({ ...state, meaning: { ...live, key: 'other' } }), true)
})

test('a file can be cleaned by a run of the files that are there, over all of their rows', () => {
  const state = ready()
  const result = { summary: { threshold: 0.8 }, stamp: {} }
  const own = { result, key: meaningKey(state), live: true, status: 'done', threshold: 0.8 }
  /** @param {object} patch */
  const reason = (patch) =>
    meaningReason({ ...state, meaning: { ...state.meaning, ...own, ...patch } })
  assert.deepEqual(reason({}), { name: 'groups', threshold: 0.8 })
  const across = { ...result, summary: { threshold: 0.8, across: {} } }
  assert.deepEqual(reason({ result: across }), { name: 'meaning', threshold: 0.8 })
  const sampled = { ...result, stamp: { picked: { rows: 'sample' } } }
  for (const patch of [
    { result: null },
    { result: sampled },
    { live: false },
    { key: 'other' },
    { status: 'looking' },
  ]) {
    assert.equal(reason(patch), null)
  }
})

test('a new worker holds no vectors of the old one, and its result stays to be read', () => {
  const state = ready()
  const patch = { result: {}, live: true, key: 'k', mode: 'across' }
  const held = reduce(state, { type: 'meaning-changed', patch })
  const { meaning } = reduce(held, { type: 'worker-replaced' })
  assert.deepEqual([meaning.result, meaning.live, meaning.mode], [{}, false, 'across'])
})

test('clearing keeps the choice of mode, the threshold and the model', () => {
  const state = ready()
  const patch = { mode: 'across', threshold: 0.8, modelIn: true, result: {}, live: true }
  const cleared = reduce(reduce(state, { type: 'meaning-changed', patch }), {
    type: 'meaning-cleared',
  }).meaning
  assert.deepEqual(
    [cleared.mode, cleared.threshold, cleared.modelIn, cleared.result, cleared.live],
    ['across', 0.8, true, null, false],
  )
})

test('pairs go to Python as columns, with sizes counted from the rows', async () => {
  const { calls, call } = recorder()
  const asked = []
  const hand = {
    call: async (method, params) => {
      asked.push([method, params.threshold, [...params.sizes]])
      const a = Uint32Array.of(0)
      return { a, b: Uint32Array.of(1), cosine: Float64Array.of(0.75), total: 2, closest: null }
    },
  }
  const vectors = new Float32Array(2 * DIMENSION)
  const nodeOf = Int32Array.of(0, -1, 1, 0)
  const held = await groupRows(call, hand, { vectors, nodeOf, rows: { truncated: 0 } }, quiet)
  assert.deepEqual(asked, [['similar', 0.69, [2, 1]]])
  assert.deepEqual([held.floor, held.whole], [0.69, true])
  const [{ method, params, data }] = calls
  assert.equal(method, 'meaning_take')
  assert.deepEqual(params.rows, { truncated: 0, node_of: [0, -1, 1, 0] })
  assert.deepEqual(params.found, { floor: 0.69, total: 2, closest: null, labels: [] })
  assert.deepEqual([...new Uint32Array(data.buffer, 0, 2)], [0, 1])
  assert.deepEqual([...new Float64Array(data.buffer.slice(8))], [0.75])
})

test('a million pairs from the lowest threshold on: the one that is set is asked for', async () => {
  const { calls, call } = recorder()
  const asked = []
  const hand = {
    call: async (_, { threshold }) => {
      asked.push(threshold)
      const size = 1_000_000
      const columns = { a: new Uint32Array(size), b: new Uint32Array(size) }
      const labels = Uint32Array.of(0, 0)
      return { ...columns, cosine: new Float64Array(size), total: 3e6, closest: null, labels }
    },
  }
  const embedded = { vectors: new Float32Array(2 * DIMENSION), nodeOf: Int32Array.of(0, 1) }
  const held = await groupRows(call, hand, { ...embedded, rows: {} }, { ...quiet, threshold: 0.9 })
  assert.deepEqual(asked, [0.69, 0.9])
  assert.deepEqual([held.floor, held.whole], [0.9, false])
  assert.deepEqual(calls[0].params.found, { floor: 0.9, total: 3e6, closest: null, labels: [0, 0] })
})

test('the million pairs that were kept answer every threshold above the lowest of them', async () => {
  const { calls, call } = recorder()
  const asked = []
  const size = 1_000_000
  const hand = {
    call: async (_, { threshold }) => {
      asked.push(threshold)
      const b = new Uint32Array(size).fill(1)
      const cosine = new Float64Array(size).fill(0.75, 3)
      cosine.set([0.95, 0.9, 0.8])
      const columns = { a: new Uint32Array(size), b, cosine }
      return { ...columns, total: 3e6, closest: null, labels: Uint32Array.of(0, 0) }
    },
  }
  const nodeOf = Int32Array.of(0, 1, 1) // a pair of the two nodes is two pairs of rows
  const embedded = { vectors: new Float32Array(2 * DIMENSION), nodeOf, rows: {} }
  const held = await groupRows(call, hand, embedded, { ...quiet, threshold: 0.8 })
  assert.deepEqual(asked, [0.69])
  assert.deepEqual([held.floor, held.whole], [0.8, true])
  const [{ params, data }] = calls
  assert.deepEqual(params.found, { floor: 0.8, total: 6, closest: null, labels: [] })
  assert.deepEqual([...new Float64Array(data.buffer.slice(24))], [0.95, 0.9, 0.8])
  await groupRows(call, hand, embedded, { ...quiet, threshold: 0.76, floor: 0.76 })
  assert.deepEqual(asked, [0.69, 0.76]) // what lies under them needs a look of its own
  assert.deepEqual(calls[1].params.found.labels, [0, 0])
})

/**
 * A worker whose every piece takes a millisecond of a clock that the test turns.
 *
 * @param {import('node:test').TestContext} context
 */
function clockwork(context) {
  let clock = 0
  context.mock.method(performance, 'now', () => clock)
  const sizes = []
  const hand = {
    call: async (_, { ids, starts }) => {
      clock += ids.length
      sizes.push(starts.length - 1)
      const vectors = new Float32Array((starts.length - 1) * DIMENSION)
      vectors.forEach((_, at) => {
        vectors[at] = ids[starts[Math.floor(at / DIMENSION)]]
      })
      return vectors
    },
  }
  return { hand, sizes }
}

/** 300 rows of 3 pieces and 300 of 9, each beginning with its own number. */
const LONG_AND_SHORT = Array.from({ length: 600 }, (_, row) =>
  new Int32Array(row % 2 ? 9 : 3).fill(row),
)

test('the time left is measured on rows of every length before the others go on', async (context) => {
  const { hand, sizes } = clockwork(context)
  const told = []
  const onFirst = async (measured) => told.push({ ...measured, sizes: [...sizes] })
  const vectors = await embedNodes([hand, hand], LONG_AND_SHORT, { ...quiet, onFirst })
  // 128 of them: 64 long and 64 short ones, 768 pieces; 2,832 pieces are left
  assert.deepEqual(told, [
    { speed: 1_000, seconds: 2.832, measured: 128, rows: 600, sizes: [64, 64] },
  ])
  for (const row of [0, 1, 299, 599]) assert.equal(vectors[row * DIMENSION], row)
})

test('a person who says no after the first rows ends the run', async (context) => {
  const { hand, sizes } = clockwork(context)
  const onFirst = async () => {
    throw new Error('no')
  }
  await assert.rejects(embedNodes([hand], LONG_AND_SHORT, { ...quiet, onFirst }), /no/)
  assert.deepEqual(sizes, [64])
})

test('a few rows are done before they are measured', async (context) => {
  const { hand } = clockwork(context)
  const onFirst = () => assert.fail('nothing is left to tell')
  await embedNodes([hand], LONG_AND_SHORT.slice(0, 128), { ...quiet, onFirst })
})

test('a test row that stands on the training side is not searched for', async () => {
  const { calls, call } = recorder()
  const nodeOf = Int32Array.of(0, 1, -1, 2, 1) // three test rows, then two training rows
  const hand = {
    call: async (_, { test: part, train }) => {
      assert.equal(part.length, DIMENSION) // node 0 alone
      assert.equal(train.length, 2 * DIMENSION) // nodes 2 and 1
      return { at: Int32Array.of(1), cosine: Float64Array.of(0.8) }
    },
  }
  const embedded = { vectors: new Float32Array(3 * DIMENSION), nodeOf, rows: {} }
  await matchRows(call, [hand, hand], embedded, { ...quiet, count: 3 })
  const [{ method, params, data }] = calls
  assert.equal(method, 'meaning_match')
  assert.deepEqual(params.nearest, [1, -1, -1])
  assert.deepEqual([...new Float64Array(data.buffer)], [0.8, 0, 0])
})

test('rows of a file against itself are searched for without themselves', async () => {
  const { calls, call } = recorder()
  const rows = [0, 1, 0, -1] // rows 0 and 2 are equal: they have each other
  const hand = {
    call: async (_, { test: part, train, skip }) => {
      assert.equal(part.length, DIMENSION) // node 1 alone
      assert.equal(train.length, 2 * DIMENSION)
      assert.deepEqual([...skip], [1])
      return { at: Int32Array.of(0), cosine: Float64Array.of(0.5) }
    },
  }
  const nodeOf = Int32Array.of(...rows, ...rows)
  const embedded = { vectors: new Float32Array(2 * DIMENSION), nodeOf, rows: {} }
  await matchRows(call, [hand], embedded, { ...quiet, count: 4, own: [0, 1, 2, 3] })
  assert.deepEqual(calls[0].params.nearest, [-1, 0])
})

test('training rows are held against the test rows that count, none against itself', async () => {
  const rows = [0, 1, 0, 2, -1] // one file on both sides; row 3 does not count
  const { calls, call } = recorder({ meaning_counted: { rows: [0, 1, 2, 4] } })
  const hand = {
    call: async (_, { test: part, train, skip }) => {
      assert.equal(part.length, 2 * DIMENSION) // nodes 1 and 2; 0 has two rows that count
      assert.equal(train.length, 2 * DIMENSION) // nodes 0 and 1
      assert.deepEqual([...skip], [1, -1])
      return { at: Int32Array.of(0, 1), cosine: Float64Array.of(0.5, 0.75) }
    },
  }
  const nodeOf = Int32Array.of(...rows, ...rows)
  const vectors = new Float32Array(3 * DIMENSION)
  const held = { vectors, nodeOf, rows: {}, count: 5, own: [0, 1, 2, 3, 4], floor: 0, whole: true }
  await matchBack(call, async () => [hand], held, { ...quiet, without: [4] })
  assert.deepEqual(calls[0].params, { without: [4] })
  const [, { method, params, data }] = calls
  assert.equal(method, 'meaning_back')
  assert.deepEqual(params, { rows: [0, 1, 2, 4], nearest: [-1, 0, 1] })
  assert.deepEqual([...new Float64Array(data.buffer)], [0, 0.5, 0.75])
})

test('without vectors of both sides nothing is held the other way round', async () => {
  const fail = () => assert.fail('nothing may be asked')
  const within = { vectors: [], nodeOf: [], rows: {}, floor: 0.69, whole: true }
  for (const held of [null, within])
    await assert.rejects(matchBack(fail, fail, held, { ...quiet, without: [] }), /once more/)
})

test('a group of one text has the lowest cosine 1 without a question', async () => {
  const hand = { call: async (_, { groups }) => Float64Array.from(groups, () => 0.5) }
  const lowest = await lowestOf(async () => [hand], new Float32Array(), [[3], [0, 1], [2]], quiet)
  assert.deepEqual(lowest, [1, 0.5, 1])
  const none = await lowestOf(() => assert.fail('no worker is needed'), [], [[3]], quiet)
  assert.deepEqual(none, [1])
})

test('the column that is read by itself and the same one ticked are the same question', () => {
  const state = ready()
  state.slots.test.facts = { guess: { text: ['question', 'answer'] } }
  const key = meaningKey(state)
  const asked = (fields) => {
    const test = { ...state.slots.test, fields }
    return meaningKey({ ...state, slots: { ...state.slots, test } })
  }
  assert.equal(asked(['question']), key)
  assert.notEqual(asked(['answer']), key)
})

test('the cosines of an example stand in for a search', async () => {
  const { calls, call } = recorder()
  // rows 0 and 3 are one text; nodes 0 and 1 at 0.8, 1 and 2 at 0.95, 0 and 2 at 0.5
  const cosines = [
    [0, 1, 0.8],
    [0, 2, 0.5],
    [1, 2, 0.95],
  ]
  const rows = { truncated: 0, unreadable: 1, sha256: 'ab' }
  const held = await takeStored(call, { node_of: [0, 1, 2, 0, -1], cosines, ...rows })
  const [{ method, params, data }] = calls
  assert.equal(method, 'meaning_take')
  assert.deepEqual(params.rows, { ...rows, node_of: [0, 1, 2, 0, -1] })
  const closest = { a: 1, b: 2, cosine: 0.95 }
  assert.deepEqual(params.found, { floor: 0.69, total: 3, closest, labels: [] }) // 0.8 counts twice
  assert.deepEqual([...new Uint32Array(data.buffer, 0, 4)], [1, 0, 2, 1])
  assert.deepEqual([...new Float64Array(data.buffer.slice(16))], [0.95, 0.8])
  assert.deepEqual([held.floor, held.whole], [0.69, true])
  assert.deepEqual(lowestStored(cosines, [[0, 1, 2], [1, 2], [0]]), [0.5, 0.95, 1])
})

test('blank rows are not unreadable ones', () => {
  assert.equal(countUnreadable(['', ' \n', '☃☃', 'word'], Int32Array.of(-1, -1, -1, 0)), 1)
})

test('a cosine never reads as if on the other side of the threshold', () => {
  assert.equal(cosineText(0.9004, 0.9), '0.900')
  assert.equal(cosineText(0.8996, 0.9), '0.8996')
  assert.equal(cosineText(0.89996, 0.9), '0.89996')
  assert.equal(cosineText(1, 0.9), '1.000')
})
