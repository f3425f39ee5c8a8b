/**
 * How far a meaning run is and what it found, in words for people.
 *
 * @import { MeaningResult } from './types.d.ts'
 * @import { MeaningState } from './meaning-state.js'
 * @import { Tell } from './meaning-pool.js'
 */

import { plural } from './lib/format.js'

const SOON = 0.2 // seconds after which a speed says something

/**
 * Progress with speed and time left, of the phase that is under way.
 *
 * @param {(patch: Partial<MeaningState>) => void} change
 * @param {AbortSignal} signal after which nothing is told
 * @returns {Tell}
 */
export function createTeller(change, signal) {
  let phase = ''
  let began = 0
  let before = 0
  return (now, done, total) => {
    if (signal.aborted) return
    if (now !== phase) {
      phase = now
      began = performance.now()
      before = done
    }
    const seconds = (performance.now() - began) / 1000
    const rate = seconds > SOON && done > before ? (done - before) / seconds : null
    const left = rate ? (total - done) / rate : null
    change({ progress: { phase, done, total, rate, left } })
  }
}

/**
 * For the live region, when the threshold has moved.
 *
 * @param {MeaningResult['summary']} summary
 */
export function sayFound({ across, groups = 0, threshold }) {
  const at = threshold.toFixed(2)
  return across
    ? `${plural(across.reads_alike, 'row reads', 'rows read')} alike with a training row at ${at}.`
    : `${plural(groups, 'group')} at ${at}.`
}
