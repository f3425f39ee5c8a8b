/**
 * Numbers as people read them: thousands separators, one decimal, and no rounding that hides a
 * row. Fractions go in, percentages come out; nothing here is computed with again.
 */

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** @param {number} value */
export function count(value) {
  return WHOLE.format(value)
}

/**
 * A share as a percentage with one decimal. A share above 0 never reads 0.0% and one below 1 never
 * reads 100.0%.
 *
 * @param {number | null | undefined} share 0..1, or null where nothing was measured
 */
export function percent(share) {
  if (share === null || share === undefined) return 'n/a'
  if (share > 0 && share < 0.0005) return '<0.1%'
  const text = (share * 100).toFixed(1)
  return share < 1 && text === '100.0' ? '>99.9%' : `${text}%`
}

/**
 * @param {number} value
 * @param {string} one the noun for exactly one
 * @param {string} [many]
 */
export function plural(value, one, many = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : many}`
}

/**
 * The form of a verb after "part of whole rows": 1 of 5 shares, 2 of 5 share; of a single row always
 * the singular.
 *
 * @param {number} part
 * @param {number} whole
 * @param {string} one
 * @param {string} many
 */
export function verb(part, whole, one, many) {
  return part === 1 || whole === 1 ? one : many
}

/**
 * Decimal units, as file managers and the bound use them.
 *
 * @param {number} bytes
 */
export function size(bytes) {
  if (bytes < 1000) return plural(bytes, 'byte')
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/**
 * "A", "A and B", "A, B and C".
 *
 * @param {string[]} words
 */
export function listed(words) {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`
}

/**
 * Where a row stands: its record number, and its line where the file has lines.
 *
 * @param {{ record: number, line: number | null }} place
 */
export function place({ record, line }) {
  return line === null ? `record ${count(record)}` : `record ${count(record)}, line ${count(line)}`
}
