/**
 * How long a meaning run takes: a range before anything is known of this machine, one number once
 * its speed has been measured.
 *
 * @import { MeaningPlan } from '../types.d.ts'
 */

/** Rows of a file that are compared without a question, and at all. */
export const ROWS_AT_ONCE = 2_000
export const ROWS_AT_MOST = 20_000
/** A run that takes longer by its first rows is asked about. */
export const LONG_SECONDS = 60
const CHARACTERS = 4.5 // of English a word piece
const ENDS = 2 // pieces that frame a row
/** Word pieces a second of one worker, from a slow phone to a fast desk; the model card has figures. */
const TYPICAL = { slow: 700, fast: 4_000 }

/**
 * About how many word pieces the model has to read.
 *
 * @param {Pick<MeaningPlan, 'rows' | 'characters'>} plan
 */
export function piecesOf({ rows, characters }) {
  const [all, letters] = [rows, characters].map(({ test, train }) => test + train)
  return letters / CHARACTERS + ENDS * all
}

/**
 * Seconds that embedding takes on machines that people have.
 *
 * @param {number} pieces
 * @param {number} workers
 * @returns {{ least: number, most: number }}
 */
export function typicalSeconds(pieces, workers) {
  return { least: pieces / TYPICAL.fast / workers, most: pieces / TYPICAL.slow / workers }
}

/**
 * Whether a person is asked before a run goes on.
 *
 * @param {number} rows of the larger file
 * @param {number} seconds as measured on the first rows
 */
export function isLong(rows, seconds) {
  return rows > ROWS_AT_ONCE || seconds > LONG_SECONDS
}

/** @param {number} seconds */
export function duration(seconds) {
  const { value, unit } = inUnit(seconds)
  return unit === 'hour' ? `${value} hours` : `${value} ${unit}${value === '1' ? '' : 's'}`
}

/**
 * "2 to 9 seconds", "40 seconds to 3 minutes", "1 second".
 *
 * @param {{ least: number, most: number }} range
 */
export function durations({ least, most }) {
  const [low, high] = [inUnit(least), inUnit(most)]
  if (duration(least) === duration(most)) return duration(most)
  return `${low.unit === high.unit ? low.value : duration(least)} to ${duration(most)}`
}

/** @param {number} seconds */
function inUnit(seconds) {
  if (seconds < 90) return { value: String(Math.max(1, Math.round(seconds))), unit: 'second' }
  if (seconds < 5400) return { value: String(Math.round(seconds / 60)), unit: 'minute' }
  return { value: (seconds / 3600).toFixed(1), unit: 'hour' }
}
