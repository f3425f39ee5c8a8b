/**
 * Which of two files, or of the values in a split column, is the test side: guessed from names, so
 * that one drop is enough. The person sees the guess and can change it.
 *
 * @import { SplitValue } from '../types.d.ts'
 */

const TEST =
  /(^|[^a-z])(test|eval|evals|evaluation|val|valid|validation|dev|bench|benchmark|heldout|holdout)([^a-z]|$)/i
const TRAIN =
  /(^|[^a-z])(train|training|corpus|sft|pretrain|pretraining|finetune|mix|dump)([^a-z]|$)/i

/**
 * @template {{ name: string, size: number }} F
 * @param {F} first
 * @param {F} second
 * @returns {{ test: F, train: F }} by name; where the names say nothing, the smaller file is judged
 */
export function guessRoles(first, second) {
  const lean = leaning(first.name) - leaning(second.name)
  const firstIsTest = lean === 0 ? first.size <= second.size : lean > 0
  return firstIsTest ? { test: first, train: second } : { test: second, train: first }
}

/**
 * @param {string} name
 * @returns {number} 1 a test file, -1 a training file, 0 no telling
 */
export function leaning(name) {
  return Number(TEST.test(name)) - Number(TRAIN.test(name))
}

/**
 * The two values named like splits, null where there is no such value.
 *
 * @param {SplitValue[]} values
 * @returns {{ test: string | null, train: string | null }}
 */
export function guessSplits(values) {
  /** @param {RegExp} pattern */
  const named = (pattern) => values.find(({ value }) => pattern.test(value))?.value ?? null
  return { test: named(/^(test|eval)/i) ?? named(/^(val|dev)/i), train: named(/^train/i) }
}
