/**
 * What the workers find between vectors, handed to Python: pairs inside one file, nearest rows across.
 *
 * @import { Call } from './controller.js'
 * @import { Hand, Tell } from './meaning-pool.js'
 */

import { DIMENSION, findNearest, findSimilar, gather } from './meaning-pool.js'

const MOST_PAIRS = 1_000_000
const FLOOR = 0.69 // 0.010 under the lowest threshold: what just misses it is known too

/** @typedef {{ vectors: Float32Array, nodeOf: Int32Array, rows: object }} Embedded vectors of the nodes */
/**
 * @typedef {Embedded & { floor: number, whole: boolean }} Held what a threshold is answered from;
 *   `whole` says that all pairs from `floor` on were kept
 */

/**
 * Compare every pair inside one file. Where there are too many pairs to keep from the lowest threshold
 * on, only those of this threshold count.
 *
 * @param {Call} call
 * @param {Hand} hand
 * @param {Embedded} embedded
 * @param {{ threshold: number, signal: AbortSignal, tell: Tell }} options
 * @returns {Promise<Held>}
 */
export async function groupRows(
  call,
  hand,
  { vectors, nodeOf, rows },
  { threshold, signal, tell },
) {
  const sizes = new Uint32Array(vectors.length / DIMENSION)
  for (const node of nodeOf) if (node >= 0) sizes[node] += 1
  /** @param {number} floor */
  const look = (floor) =>
    findSimilar(hand, { vectors, threshold: floor, sizes, most: MOST_PAIRS }, { signal, tell })
  let floor = FLOOR
  let pairs = await look(floor)
  const whole = pairs.a.length < MOST_PAIRS
  if (!whole) {
    floor = threshold
    pairs = await look(floor)
  }
  const labels = pairs.a.length < MOST_PAIRS ? [] : [...pairs.labels]
  const found = { floor, total: pairs.total, closest: pairs.closest, labels }
  const data = packed(pairs.a, pairs.b, pairs.cosine)
  await call('meaning_take', { rows: { ...rows, node_of: [...nodeOf] }, found }, { data, signal })
  return { vectors, nodeOf, rows, floor, whole }
}

/**
 * Find the nearest training row of each test row. Test rows whose text stands on the training side
 * need no search: theirs is that row, cosine 1.
 *
 * @param {Call} call
 * @param {Hand[]} hands
 * @param {Embedded} embedded of the test rows and then the training rows
 * @param {{ count: number, signal: AbortSignal, tell: Tell }} options `count` test rows
 */
export async function matchRows(call, hands, { vectors, nodeOf, rows }, { count, ...options }) {
  const train = [...new Set(nodeOf.slice(count))].filter((node) => node >= 0)
  const there = new Set(train)
  const asked = [...new Set(nodeOf.slice(0, count))].filter((node) => node >= 0 && !there.has(node))
  const sides = [gather(vectors, asked), gather(vectors, train)]
  const { at, cosine } = await findNearest(hands, sides[0], sides[1], options)
  const nearest = new Array(vectors.length / DIMENSION).fill(-1)
  const cosines = new Float64Array(nearest.length)
  asked.forEach((node, place) => {
    if (at[place] < 0) return
    nearest[node] = train[at[place]]
    cosines[node] = cosine[place]
  })
  const data = new Uint8Array(cosines.buffer)
  const params = { rows: { ...rows, node_of: [...nodeOf] }, nearest }
  await call('meaning_match', params, { data, signal: options.signal })
}

/**
 * The lowest cosine inside each group; 1 where all of it is one text.
 *
 * @param {() => Promise<Hand[]>} start
 * @param {Float32Array} vectors
 * @param {number[][]} groups
 * @param {AbortSignal} signal
 */
export async function lowestOf(start, vectors, groups, signal) {
  const lowest = groups.map(() => 1)
  const several = groups.flatMap((nodes, at) => (nodes.length > 1 ? [at] : []))
  if (several.length === 0) return lowest
  const [hand] = await start()
  const asked = several.map((at) => Uint32Array.from(groups[at]))
  /** @type {Float64Array} */
  const found = await hand.call('lowest', { vectors, groups: asked }, { signal })
  several.forEach((at, place) => {
    lowest[at] = found[place]
  })
  return lowest
}

/**
 * Rows with text of which the model knows no piece.
 *
 * @param {string[]} texts
 * @param {Int32Array} nodeOf
 */
export function countUnreadable(texts, nodeOf) {
  return texts.filter((text, row) => nodeOf[row] < 0 && text.trim() !== '').length
}

/**
 * @param {Uint32Array} a
 * @param {Uint32Array} b
 * @param {Float64Array} cosine
 */
function packed(a, b, cosine) {
  const columns = [a, b, cosine].map(
    (column) => new Uint8Array(column.buffer, column.byteOffset, column.byteLength),
  )
  const data = new Uint8Array(columns.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const column of columns) {
    data.set(column, at)
    at += column.length
  }
  return data
}
