/**
 * What the workers find between the vectors of one file, handed to Python.
 *
 * @import { Call } from './controller.js'
 * @import { Hand, Tell } from './meaning-pool.js'
 * @import { SimilarPairs } from './worker/meaning-types.d.ts'
 * @import { StoredCosines } from './types.d.ts'
 */

import { DIMENSION, findSimilar } from './meaning-pool.js'

const MOST_PAIRS = 1_000_000
export const FLOOR = 0.69 // 0.010 under the lowest threshold: what just misses it is known too

/** @typedef {{ vectors: Float32Array, nodeOf: Int32Array, rows: object }} Embedded vectors of the nodes */
/** @typedef {{ count: number, own: number[] }} Crossing test rows, and the training row that each of them is itself, or -1 */
/**
 * @typedef {Embedded & Partial<Crossing> & { floor: number, whole: boolean, cosines?: StoredCosines['cosines'] }} Held what a
 *   threshold is answered from; `whole` says that all pairs from `floor` on were kept; `cosines` stand
 *   in for the vectors of an example
 */

/**
 * Compare every pair inside one file. Where there are too many pairs to keep from the lowest threshold
 * on, the highest of them answer all thresholds down to the lowest one kept; under that, each
 * threshold is compared by itself, and pairs past the highest million are counted alone.
 *
 * @param {Call} call
 * @param {Hand} hand
 * @param {Embedded} embedded
 * @param {{ threshold: number, floor?: number, signal: AbortSignal, tell: Tell }} options `floor` is
 *   where to begin: the lowest threshold, or the one that is set where that was too low before
 * @returns {Promise<Held>}
 */
export async function groupRows(
  call,
  hand,
  { vectors, nodeOf, rows },
  { threshold, floor = FLOOR, signal, tell },
) {
  const sizes = new Uint32Array(vectors.length / DIMENSION)
  for (const node of nodeOf) if (node >= 0) sizes[node] += 1
  /**
   * @param {number} from
   * @returns {Promise<SimilarPairs & { floor: number, whole: boolean }>}
   */
  async function look(from) {
    const params = { vectors, threshold: from, sizes, most: MOST_PAIRS }
    const pairs = await findSimilar(hand, params, { signal, tell })
    if (pairs.a.length < MOST_PAIRS) return { ...pairs, floor: from, whole: true }
    const sure = surePairs(pairs, sizes)
    if (sure !== null && sure.floor <= threshold) return { ...sure, whole: true }
    return from < threshold ? look(threshold) : { ...pairs, floor: from, whole: false }
  }
  const found = await look(floor)
  const { total, closest, whole } = found
  const labels = whole ? [] : [...found.labels]
  const data = packed(found.a, found.b, found.cosine)
  const params = {
    rows: { ...rows, node_of: [...nodeOf] },
    found: { floor: found.floor, total, closest, labels },
  }
  await call('meaning_take', params, { data, signal })
  return { vectors, nodeOf, rows, floor: found.floor, whole }
}

/**
 * Of pairs that had to be cut, those above the lowest cosine kept: of them none is missing.
 *
 * @param {SimilarPairs} pairs highest cosine first
 * @param {Uint32Array} sizes
 */
function surePairs({ a, b, cosine, ...pairs }, sizes) {
  const count = cosine.indexOf(cosine[cosine.length - 1])
  if (count === 0) return null
  let total = 0
  for (let at = 0; at < count; at += 1) total += sizes[a[at]] * sizes[b[at]]
  const columns = { a: a.slice(0, count), b: b.slice(0, count), cosine: cosine.slice(0, count) }
  return { ...pairs, ...columns, total, floor: cosine[count - 1] }
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
export function packed(a, b, cosine) {
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
