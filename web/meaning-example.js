/**
 * Rung 6 of an example: its cosines came with it, so that every threshold is answered without the model.
 *
 * @import { StoredCosines, StoredExample } from './types.d.ts'
 * @import { Call } from './controller.js'
 * @import { Held } from './meaning-search.js'
 * @import { State } from './state.js'
 */

import { meaningKey } from './meaning-inputs.js'
import { FLOOR, packed } from './meaning-search.js'
import { forgotten, idleMeaning, keyOf, patchMeaning } from './meaning-state.js'

/**
 * Rung 6 without a result, as an example begins.
 *
 * @param {State} state
 * @param {{ cosine?: number }} settings
 */
export function linkedMeaning(state, { cosine }) {
  const { mode, threshold } = idleMeaning()
  return { ...forgotten(state.meaning), mode, threshold: cosine ?? threshold }
}

/**
 * The stored result, where it is of the threshold that is set; another one is answered from the
 * stored cosines, once Python runs.
 *
 * @param {State} shown
 * @param {NonNullable<StoredExample['meaning']>} stored
 * @returns {State}
 */
export function showMeaning(shown, { result, pair, found }) {
  const key = meaningKey(shown)
  const stored = { ...found, key }
  const base = patchMeaning(shown, { stored, key, example: true })
  if (result.summary.threshold !== shown.meaning.threshold) return base
  const [first] = result.pairs
  const selected = first ? keyOf(first.a_index, first.b_index) : null
  return patchMeaning(base, { result, pair, selected, status: 'done' })
}

/**
 * Hand over the cosines that came with an example, as if they had just been found.
 *
 * @param {Call} call
 * @param {StoredCosines} stored
 * @returns {Promise<Held>}
 */
export async function takeStored(call, { node_of: nodeOf, cosines, ...rows }) {
  const sizes = new Map()
  for (const node of nodeOf) sizes.set(node, (sizes.get(node) ?? 0) + 1)
  const ordered = cosines.toSorted((x, y) => y[2] - x[2] || x[0] - y[0] || x[1] - y[1])
  const kept = ordered.filter(([, , cosine]) => cosine >= FLOOR)
  const total = kept.reduce((sum, [a, b]) => sum + sizes.get(a) * sizes.get(b), 0)
  const [first] = ordered
  const closest = first ? { a: first[0], b: first[1], cosine: first[2] } : null
  const data = packed(
    Uint32Array.from(kept, ([a]) => a),
    Uint32Array.from(kept, ([, b]) => b),
    Float64Array.from(kept, ([, , cosine]) => cosine),
  )
  const found = { floor: FLOOR, total, closest, labels: [] }
  await call('meaning_take', { rows: { ...rows, node_of: nodeOf }, found }, { data })
  const none = { vectors: new Float32Array(), nodeOf: Int32Array.from(nodeOf) }
  return { ...none, rows, floor: FLOOR, whole: true, cosines }
}

/**
 * The lowest stored cosine inside each group; 1 where all of it is one text.
 *
 * @param {StoredCosines['cosines']} cosines
 * @param {number[][]} groups
 */
export function lowestStored(cosines, groups) {
  return groups.map((nodes) =>
    cosines
      .filter(([a, b]) => nodes.includes(a) && nodes.includes(b))
      .reduce((low, [, , cosine]) => Math.min(low, cosine), 1),
  )
}
