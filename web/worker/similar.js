/**
 * Unit vectors to pairs at a threshold, the closest pair, the lowest cosine in a group, and the
 * nearest row of another file; in blocks, every pair compared.
 *
 * A cosine is the dot product in doubles, added up in order of the channels. The blocks' products
 * are floats and only choose what is worth that: whatever lies within SLACK of a decision is
 * decided by the doubles, so the result does not depend on the block size or the machine.
 *
 * @import { ClosestPair, Multiply, NearestRows, Pulse, SimilarPairs } from './meaning-types.d.ts'
 */

const DIMENSION = 384
const BLOCK = 512
const SLACK = 1e-5 // floats of unit vectors with 384 channels err by under 2e-6
const SMALL_GROUP = 48

/** @param {Float32Array} vectors */
const countRows = (vectors) => vectors.length / DIMENSION

/**
 * @param {Float32Array} vectors
 * @param {number} first
 * @param {number} stop
 */
const slice = (vectors, first, stop) => vectors.subarray(first * DIMENSION, stop * DIMENSION)

/**
 * @param {Float32Array} a
 * @param {number} i
 * @param {Float32Array} b
 * @param {number} j
 */
export function cosineOf(a, i, b, j) {
  let sum = 0
  const x = i * DIMENSION
  const y = j * DIMENSION
  for (let channel = 0; channel < DIMENSION; channel++) sum += a[x + channel] * b[y + channel]
  return Math.min(sum, 1) // rounding may put equal rows a little over
}

/**
 * Find all pairs at or above a threshold, and what they join.
 *
 * @param {Float32Array} vectors
 * @param {{ threshold: number, sizes: ArrayLike<number>, most: number, multiply: Multiply, pulse?: Pulse }} options
 *   `sizes`: rows of each node; `most` pairs are kept, the highest ones; all are counted
 * @returns {Promise<SimilarPairs>}
 */
export async function findSimilar(vectors, { threshold, sizes, most, multiply, pulse }) {
  const kept = createKeeper(most)
  const joined = createJoiner(countRows(vectors))
  const best = createBest()
  let total = 0
  await eachBlock(vectors, { multiply, pulse }, (scores, rows, columns) => {
    for (let i = rows.first, at = 0; i < rows.stop; i++) {
      for (let j = columns.first; j < columns.stop; j++, at++) {
        const score = scores[at]
        if (j <= i || (score < threshold - SLACK && score < best.floor)) continue
        const cosine = cosineOf(vectors, i, vectors, j)
        best.see(i, j, cosine)
        if (cosine < threshold) continue
        total += sizes[i] * sizes[j]
        joined.join(i, j)
        kept.add(i, j, cosine)
      }
    }
  })
  return { total, ...kept.sorted(), labels: joined.labels(), closest: best.pair() }
}

/**
 * @typedef {{ first: number, stop: number }} Span
 * @param {Float32Array} vectors
 * @param {{ multiply: Multiply, pulse?: Pulse }} options
 * @param {(scores: Float32Array, rows: Span, columns: Span) => void} visit blocks on and above the
 *   diagonal
 */
async function eachBlock(vectors, { multiply, pulse }, visit) {
  const spans = spansOf(countRows(vectors))
  const total = (spans.length * (spans.length + 1)) / 2
  let done = 0
  for (const rows of spans) {
    const part = slice(vectors, rows.first, rows.stop)
    for (const columns of spans) {
      if (columns.first < rows.first) continue
      visit(await multiply(part, slice(vectors, columns.first, columns.stop)), rows, columns)
      done += 1
      await pulse?.(done, total)
    }
  }
}

/**
 * @param {number} count
 * @returns {Span[]}
 */
function spansOf(count) {
  const spans = []
  for (let first = 0; first < count; first += BLOCK)
    spans.push({ first, stop: Math.min(count, first + BLOCK) })
  return spans
}

/** The closest pair so far; ties go to the smallest a, then the smallest b. */
function createBest() {
  /** @type {ClosestPair | null} */
  let pair = null
  const best = {
    floor: -Infinity,
    pair: () => pair,
    /** @param {number} a @param {number} b @param {number} cosine */
    see(a, b, cosine) {
      if (pair && (cosine < pair.cosine || (cosine === pair.cosine && !isBefore(a, b, pair))))
        return
      pair = { a, b, cosine }
      best.floor = cosine - SLACK
    },
  }
  return best
}

/**
 * @param {number} a
 * @param {number} b
 * @param {ClosestPair} pair
 */
const isBefore = (a, b, pair) => a < pair.a || (a === pair.a && b < pair.b)

/**
 * Disjoint sets, each named by its smallest member.
 *
 * @param {number} count
 */
export function createJoiner(count) {
  const parent = Uint32Array.from({ length: count }, (_, node) => node)
  /** @param {number} node */
  function find(node) {
    while (parent[node] !== node) {
      parent[node] = parent[parent[node]]
      node = parent[node]
    }
    return node
  }
  return {
    /** @param {number} a @param {number} b */
    join(a, b) {
      const x = find(a)
      const y = find(b)
      if (x < y) parent[y] = x
      else parent[x] = y
    },
    labels: () => parent.map((_, node) => find(node)),
  }
}

/**
 * The highest pairs of a stream; memory for twice as many as are kept at most.
 *
 * @param {number} most
 */
function createKeeper(most) {
  /** @type {number[]} */
  let a = []
  /** @type {number[]} */
  let b = []
  /** @type {number[]} */
  let cosine = []
  let floor = -Infinity

  function order() {
    const places = Uint32Array.from(cosine, (_, place) => place)
    places.sort((x, y) => cosine[y] - cosine[x] || a[x] - a[y] || b[x] - b[y])
    return places.subarray(0, most)
  }

  function prune() {
    const places = order()
    a = Array.from(places, (place) => a[place])
    b = Array.from(places, (place) => b[place])
    cosine = Array.from(places, (place) => cosine[place])
    floor = cosine[cosine.length - 1]
  }

  return {
    /** @param {number} i @param {number} j @param {number} value */
    add(i, j, value) {
      if (value < floor) return
      a.push(i)
      b.push(j)
      cosine.push(value)
      if (a.length >= 2 * most) prune()
    },
    sorted() {
      const places = order()
      return {
        a: places.map((place) => a[place]),
        b: places.map((place) => b[place]),
        cosine: Float64Array.from(places, (place) => cosine[place]),
      }
    },
  }
}

/**
 * Find the lowest cosine inside each group, over all its pairs.
 *
 * @param {Float32Array} vectors
 * @param {ArrayLike<number>[]} groups nodes of each group, two or more
 * @param {{ multiply: Multiply, pulse?: Pulse }} options
 * @returns {Promise<Float64Array>}
 */
export async function findLowest(vectors, groups, { multiply, pulse }) {
  const lowest = new Float64Array(groups.length)
  for (let at = 0; at < groups.length; at++) {
    const own = gather(vectors, groups[at])
    lowest[at] =
      groups[at].length <= SMALL_GROUP ? lowestOfFew(own) : await lowestOfMany(own, multiply)
    await pulse?.(at + 1, groups.length)
  }
  return lowest
}

/**
 * @param {Float32Array} vectors
 * @param {ArrayLike<number>} nodes
 */
function gather(vectors, nodes) {
  const own = new Float32Array(nodes.length * DIMENSION)
  for (let at = 0; at < nodes.length; at++)
    own.set(slice(vectors, nodes[at], nodes[at] + 1), at * DIMENSION)
  return own
}

/** @param {Float32Array} own */
function lowestOfFew(own) {
  let lowest = Infinity
  const count = countRows(own)
  for (let i = 0; i < count; i++)
    for (let j = i + 1; j < count; j++) lowest = Math.min(lowest, cosineOf(own, i, own, j))
  return lowest
}

/**
 * @param {Float32Array} own
 * @param {Multiply} multiply
 */
async function lowestOfMany(own, multiply) {
  let lowest = Infinity
  await eachBlock(own, { multiply }, (scores, rows, columns) => {
    for (let i = rows.first, at = 0; i < rows.stop; i++)
      for (let j = columns.first; j < columns.stop; j++, at++)
        if (j > i && scores[at] < lowest + SLACK)
          lowest = Math.min(lowest, cosineOf(own, i, own, j))
  })
  return lowest
}

/**
 * Find each test row's nearest training row; of equally near ones, the first.
 *
 * @param {Float32Array} test
 * @param {Float32Array} train
 * @param {{ multiply: Multiply, pulse?: Pulse, skip?: Int32Array }} options `skip` is, per test row,
 *   the training row that it is not held against, or -1
 * @returns {Promise<NearestRows>}
 */
export async function findNearest(test, train, { multiply, pulse, skip }) {
  const at = new Int32Array(countRows(test)).fill(-1)
  const cosine = new Float64Array(at.length).fill(-Infinity)
  const [rowSpans, columnSpans] = [spansOf(at.length), spansOf(countRows(train))]
  let done = 0
  for (const rows of rowSpans) {
    const part = slice(test, rows.first, rows.stop)
    for (const columns of columnSpans) {
      const scores = await multiply(part, slice(train, columns.first, columns.stop))
      const width = columns.stop - columns.first
      for (let i = rows.first, first = 0; i < rows.stop; i++, first += width) {
        for (let j = 0; j < width; j++) {
          if (scores[first + j] < cosine[i] - SLACK || skip?.[i] === columns.first + j) continue
          const exact = cosineOf(test, i, train, columns.first + j)
          if (exact <= cosine[i]) continue
          cosine[i] = exact
          at[i] = columns.first + j
        }
      }
      done += 1
      await pulse?.(done, rowSpans.length * columnSpans.length)
    }
  }
  return { at, cosine }
}
