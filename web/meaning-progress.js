/**
 * How far a meaning run is, in numbers for people.
 *
 * @import { MeaningState } from './meaning-state.js'
 * @import { Tell } from './meaning-pool.js'
 */

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
