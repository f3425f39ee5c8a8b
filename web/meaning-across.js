/**
 * What the workers find between the vectors of two sides, handed to Python: nearest rows, both ways.
 *
 * @import { Call } from './controller.js'
 * @import { Hand, Tell } from './meaning-pool.js'
 * @import { Embedded, Held } from './meaning-search.js'
 */

import { DIMENSION, findNearest, gather } from './meaning-pool.js'
import { RemoteError } from './rpc.js'

/**
 * Find the nearest training row of each test row. Test rows whose text stands on the training side
 * need no search: theirs is that row, cosine 1.
 *
 * @param {Call} call
 * @param {Hand[]} hands
 * @param {Embedded} embedded of the test rows and then the training rows
 * @param {{ count: number, own?: number[], signal: AbortSignal, tell: Tell }} options `count` test
 *   rows; `own` is the training row that each of them is itself, where both sides are one file
 */
export async function matchRows(call, hands, embedded, { count, own = [], ...options }) {
  const { vectors, nodeOf, rows } = embedded
  const sides = { from: nodeOf.slice(0, count), to: nodeOf.slice(count), own }
  const { nearest, data } = await nearestNodes(hands, vectors, sides, options)
  const params = { rows: { ...rows, node_of: [...nodeOf] }, nearest }
  const { signal, tell } = options
  /** @param {{ done: number, total: number }} progress */
  const onProgress = ({ done, total }) => tell('Looking for shared words', done, total)
  await call('meaning_match', params, { data, signal, onProgress })
}

/**
 * Find the nearest test row of each training row, before a training file is cleaned.
 *
 * @param {Call} call
 * @param {() => Promise<Hand[]>} start
 * @param {Held | null} held
 * @param {{ without: number[], signal: AbortSignal, tell: Tell }} options `without` are the records of
 *   test rows that do not count
 */
export async function matchBack(call, start, held, { without, signal, tell }) {
  const message = 'Compare meanings from test to training once more first.'
  if (held?.count === undefined || !held.own) throw new RemoteError({ code: 'not-run', message })
  const { vectors, nodeOf, count, own } = held
  const { rows } = await call('meaning_counted', { without })
  const to = new Int32Array(count).fill(-1)
  for (const at of rows) to[at] = nodeOf[at]
  const itself = own.flatMap((row, at) => (row < 0 ? [] : [at]))
  const sides = { from: nodeOf.slice(count), to, own: itself }
  const { nearest, data } = await nearestNodes(await start(), vectors, sides, { signal, tell })
  await call('meaning_back', { rows, nearest }, { data, signal })
}

/**
 * Per node the nearest other node of `to`, or -1, and the cosines as bytes; not looked for where the
 * node itself has a row of `to` for each of its rows.
 *
 * @param {Hand[]} hands
 * @param {Float32Array} vectors
 * @param {{ from: Int32Array, to: Int32Array, own: number[] }} sides nodes of the rows; `own` are the
 *   rows of `to` that are one of `from` themselves, where both sides are one file
 * @param {{ signal: AbortSignal, tell: Tell }} options
 */
async function nearestNodes(hands, vectors, { from, to, own }, options) {
  const there = [...new Set(to)].filter((node) => node >= 0)
  const places = new Map(there.map((node, place) => [node, place]))
  const answered = answeredNodes(to, own)
  const asked = [...new Set(from)].filter((node) => node >= 0 && !answered.has(node))
  const { at, cosine } = await findNearest(
    hands,
    {
      test: gather(vectors, asked),
      train: gather(vectors, there),
      skip: Int32Array.from(asked, (node) => places.get(node) ?? -1),
    },
    options,
  )
  const nearest = new Array(vectors.length / DIMENSION).fill(-1)
  const cosines = new Float64Array(nearest.length)
  asked.forEach((node, place) => {
    if (at[place] < 0) return
    nearest[node] = there[at[place]]
    cosines[node] = cosine[place]
  })
  return { nearest, data: new Uint8Array(cosines.buffer) }
}

/**
 * The nodes that have a row of the other side for every row in them: any row, or two of them where
 * it may be the row itself.
 *
 * @param {Int32Array} to
 * @param {number[]} own
 */
function answeredNodes(to, own) {
  const themselves = new Set(own)
  /** @type {Set<number>} */
  const once = new Set()
  /** @type {Set<number>} */
  const answered = new Set()
  to.forEach((node, row) => {
    if (!themselves.has(row) || once.has(node)) answered.add(node)
    once.add(node)
  })
  return answered
}
