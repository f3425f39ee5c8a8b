/** The pair search against every pair computed one by one. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createMultiply, prepareRuntime } from '../../web/worker/embedder.js'
import {
  cosineOf,
  createJoiner,
  findLowest,
  findNearest,
  findSimilar,
} from '../../web/worker/similar.js'

const WASM = '../../node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm'
const D = 384
prepareRuntime(new WebAssembly.Module(readFileSync(new URL(WASM, import.meta.url))))
const multiply = await createMultiply()

/** Unit vectors around a few centres, from a fixed seed. */
function makeVectors(count, seed, spread = 0.35) {
  let state = seed
  function next() {
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648 - 0.5
  }
  const centres = Array.from({ length: 7 }, () => Array.from({ length: D }, next))
  const out = new Float32Array(count * D)
  for (let row = 0; row < count; row++) {
    const own = centres[Math.floor((next() + 0.5) * 7)].map((value) => value + spread * next())
    const norm = Math.hypot(...own)
    own.forEach((value, at) => {
      out[row * D + at] = value / norm
    })
  }
  return out
}

/** Unit vectors in the plane at these degrees. */
function angles(...degrees) {
  const out = new Float32Array(degrees.length * D)
  degrees.forEach((degree, row) => {
    out[row * D] = Math.cos((degree * Math.PI) / 180)
    out[row * D + 1] = Math.sin((degree * Math.PI) / 180)
  })
  return out
}

const ones = (/** @type {number} */ count) => new Uint32Array(count).fill(1)

/** Everything that findSimilar says, by the definition. */
function bruteForce(vectors, threshold, sizes) {
  const count = vectors.length / D
  const all = []
  for (let a = 0; a < count; a++)
    for (let b = a + 1; b < count; b++) all.push({ a, b, cosine: cosineOf(vectors, a, vectors, b) })
  all.sort((x, y) => y.cosine - x.cosine || x.a - y.a || x.b - y.b)
  const pairs = all.filter(({ cosine }) => cosine >= threshold)
  const labels = Array.from({ length: count }, (_, node) => node)
  for (let moved = true; moved; ) {
    moved = false
    for (const { a, b } of pairs) {
      const low = Math.min(labels[a], labels[b])
      if (labels[a] === low && labels[b] === low) continue
      labels[a] = labels[b] = low
      moved = true
    }
  }
  const total = pairs.reduce((sum, { a, b }) => sum + sizes[a] * sizes[b], 0)
  return { total, pairs, labels, closest: all[0] ?? null }
}

const listed = ({ a, b, cosine }) =>
  Array.from(a, (_, at) => ({ a: a[at], b: b[at], cosine: cosine[at] }))

for (const [count, threshold] of [
  [0, 0.9],
  [1, 0.9],
  [2, 0.9],
  [90, 0.9],
  [700, 0.91],
  [1100, 0.912],
]) {
  test(`${count} rows at ${threshold} give what every pair gives`, async () => {
    const vectors = makeVectors(count, 11 + count)
    const sizes = Uint32Array.from({ length: count }, (_, row) => 1 + (row % 3))
    const expected = bruteForce(vectors, threshold, sizes)
    const found = await findSimilar(vectors, { threshold, sizes, most: 1e6, multiply })
    assert.equal(found.total, expected.total)
    assert.deepEqual(listed(found), expected.pairs)
    assert.deepEqual([...found.labels], expected.labels)
    assert.deepEqual(found.closest, expected.closest)
    if (count > 500) assert.ok(found.total > 100 && new Set(found.labels).size > 1)
  })
}

test('past the limit the highest pairs are kept and all are counted', async () => {
  const vectors = makeVectors(600, 5)
  const expected = bruteForce(vectors, 0.9, ones(600))
  const found = await findSimilar(vectors, { threshold: 0.9, sizes: ones(600), most: 40, multiply })
  assert.ok(expected.total > 1000)
  assert.equal(found.total, expected.total)
  assert.deepEqual(listed(found), expected.pairs.slice(0, 40))
  assert.deepEqual([...found.labels], expected.labels)
})

test('a chain is one set and its lowest pair is that of its ends', async () => {
  const vectors = angles(0, 25, 50, 75)
  const found = await findSimilar(vectors, { threshold: 0.9, sizes: ones(4), most: 10, multiply })
  assert.deepEqual([...found.labels], [0, 0, 0, 0])
  assert.equal(found.total, 3)
  const [lowest] = await findLowest(vectors, [[0, 1, 2, 3]], { multiply })
  assert.equal(lowest.toFixed(3), '0.259')
})

test('rows apart have a closest pair all the same', async () => {
  const found = await findSimilar(angles(0, 50), {
    threshold: 0.9,
    sizes: ones(2),
    most: 10,
    multiply,
  })
  assert.equal(found.total, 0)
  assert.deepEqual([...found.labels], [0, 1])
  assert.equal(found.closest?.cosine.toFixed(3), '0.643')
})

test('the threshold is met by the unrounded cosine alone', async () => {
  const vectors = angles(0, 25)
  const exact = cosineOf(vectors, 0, vectors, 1)
  const options = { sizes: ones(2), most: 10, multiply }
  assert.equal((await findSimilar(vectors, { ...options, threshold: exact })).total, 1)
  assert.equal((await findSimilar(vectors, { ...options, threshold: exact + 1e-12 })).total, 0)
})

test('the lowest pair of small and large groups equals the one found pair by pair', async () => {
  const vectors = makeVectors(900, 3)
  const groups = [[1, 5], [0, 2, 4, 6, 8], Array.from({ length: 700 }, (_, at) => at + 100)]
  const found = await findLowest(vectors, groups, { multiply })
  groups.forEach((group, at) => {
    let lowest = Infinity
    for (const a of group)
      for (const b of group) if (a < b) lowest = Math.min(lowest, cosineOf(vectors, a, vectors, b))
    assert.equal(found[at], lowest)
  })
})

test('the nearest row is the first of the nearest', async () => {
  const test = makeVectors(530, 21)
  const train = makeVectors(1200, 22)
  train.set(train.subarray(0, 40 * D), 700 * D) // equal rows further down must not win
  const found = await findNearest(test, train, { multiply })
  for (let row = 0; row < 530; row++) {
    let best = -1
    let cosine = -Infinity
    for (let at = 0; at < 1200; at++) {
      const value = cosineOf(test, row, train, at)
      if (value > cosine) [best, cosine] = [at, value]
    }
    assert.deepEqual([found.at[row], found.cosine[row]], [best, cosine])
  }
})

test('a row that is skipped is not the nearest', async () => {
  const vectors = makeVectors(530, 21)
  const skip = Int32Array.from({ length: 530 }, (_, row) => row)
  const found = await findNearest(vectors, vectors, { multiply, skip })
  for (let row = 0; row < 530; row++) {
    let best = -1
    let cosine = -Infinity
    for (let at = 0; at < 530; at++) {
      const value = cosineOf(vectors, row, vectors, at)
      if (at !== row && value > cosine) [best, cosine] = [at, value]
    }
    assert.deepEqual([found.at[row], found.cosine[row]], [best, cosine])
  }
  const alone = await findNearest(angles(0), angles(0), { multiply, skip: Int32Array.of(0) })
  assert.deepEqual([...alone.at], [-1])
})

test('nothing to compare with gives no nearest row', async () => {
  const found = await findNearest(angles(0), new Float32Array(0), { multiply })
  assert.deepEqual([...found.at], [-1])
})

test('progress is told for each block and a pulse that throws stops the search', async () => {
  const vectors = makeVectors(1030, 9)
  /** @type {string[]} */
  const seen = []
  const options = { threshold: 0.99, sizes: ones(1030), most: 10, multiply }
  await findSimilar(vectors, {
    ...options,
    pulse: (done, total) => void seen.push(`${done}/${total}`),
  })
  assert.deepEqual(seen, ['1/6', '2/6', '3/6', '4/6', '5/6', '6/6'])
  const stop = () => {
    throw new Error('stopped')
  }
  await assert.rejects(findSimilar(vectors, { ...options, pulse: stop }), /stopped/)
})

test('sets bear the name of their smallest member', () => {
  const sets = createJoiner(6)
  for (const [a, b] of [
    [5, 4],
    [3, 5],
    [1, 2],
  ])
    sets.join(a, b)
  assert.deepEqual([...sets.labels()], [0, 1, 1, 3, 3, 3])
})
