/**
 * What rung 6 is asked about: which rows the inputs name, and what is missing for it.
 *
 * @import { State } from './state.js'
 */

import { missing, wireSettings } from './state.js'

/**
 * What stands between the inputs and a run, or null. Within one file no training file is needed.
 *
 * @param {State} state
 */
export function meaningMissing(state) {
  const { test } = state.slots
  if (state.meaning.mode === 'within' && test.status === 'ready') {
    return test.fields?.length === 0 ? 'Tick a text field of the test file.' : null
  }
  return missing(state)
}

/**
 * Name of the rows that the inputs ask for, or null.
 *
 * @param {State} state
 */
export function meaningKey(state) {
  if (meaningMissing(state) !== null) return null
  const { mode } = state.meaning
  const { test, train } = state.slots
  const { test_id, train_id, split } = wireSettings(state)
  const own = [state.mode, mode, test.version, columnOf(test), test_id, split]
  if (mode === 'within') return JSON.stringify(own)
  const other = state.mode === 'one' ? test : train
  return JSON.stringify([...own, train.version, columnOf(other), train_id])
}

/**
 * The column that is read: the first one ticked, or the first of those that are meant.
 *
 * @param {import('./state.js').Slot} slot
 */
function columnOf({ fields, facts }) {
  return (fields ?? facts?.guess.text)?.[0] ?? null
}

/**
 * What a file can be cleaned by: the groups inside the test file, or the near training rows. A run
 * over some of the rows says nothing of the others, so nothing can.
 *
 * @param {State} state
 * @returns {{ name: 'groups' | 'meaning', threshold: number } | null}
 */
export function meaningReason(state) {
  const { result, live, status } = state.meaning
  if (!result || !live || status !== 'done' || isMeaningStale(state)) return null
  if (result.stamp.picked) return null
  const { across, threshold } = result.summary
  return { name: across ? 'meaning' : 'groups', threshold }
}

/**
 * Without its vectors, as an example comes, a result stands for one threshold only.
 *
 * @param {State} state
 */
export function isMeaningStale(state) {
  const { result, key, live, threshold } = state.meaning
  if (result === null) return false
  return key !== meaningKey(state) || (!live && result.summary.threshold !== threshold)
}
