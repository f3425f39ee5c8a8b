/**
 * Names of the rungs, tabs, bands, marks and rules for people, in one place.
 *
 * @import { BandName, MarkName, RuleColumn, RungName, TabName } from '../types.d.ts'
 */

/** @type {Record<RungName, string>} */
export const RUNG_TITLES = { rows: 'Rows', ngrams: 'N-grams', rules: 'Published rules' }

/** @type {RungName[]} */
export const RUNGS = ['rows', 'ngrams', 'rules']

/** @type {Record<TabName, string>} */
export const TAB_TITLES = {
  overview: 'Overview',
  ...RUNG_TITLES,
  meaning: 'Meaning',
  train: 'Training rows that hit',
}

/** @type {TabName[]} */
export const TABS = ['overview', 'rows', 'ngrams', 'rules', 'meaning', 'train']

/** @type {Record<BandName | 'unjudged', string>} */
export const BAND_TITLES = {
  exact: 'Exact row',
  normalized: 'Normalized row',
  ngrams: 'Shared run',
  rules: 'A published rule only',
  meaning: 'Meaning only',
  none: 'Caught by none',
  unjudged: 'Not judged by any',
}

/** @type {Record<MarkName, string>} */
export const MARK_TITLES = {
  leak: 'leak',
  template: 'template',
  'shared-sentence': 'shared sentence',
  fine: 'fine',
  unsure: 'unsure',
}

/** @type {MarkName[]} in the order of the keys 1 to 5 */
export const MARKS = ['leak', 'template', 'shared-sentence', 'fine', 'unsure']

/** Said where the stamp has `same_file`. */
export const SAME_ROWS = 'Both sides hold the same rows, so no row is compared with itself.'

/**
 * The rules that call a row dirty or not. Llama 2 also has a band from 20% that is neither clean nor
 * dirty, and the mean of three draws is an expected number of rows: those are no verdicts.
 *
 * @param {RuleColumn[]} rules
 */
export function verdictRules(rules) {
  return rules.filter(({ name, expected }) => name !== 'llama2_20' && (expected ?? null) === null)
}

/** Unit of an n-gram, by tokenization. */
export const TOKEN_NAMES = {
  loose: { choice: 'loose, L1+L3+L4', one: 'word', many: 'words' },
  strict: { choice: 'strict, as written', one: 'strict token', many: 'strict tokens' },
  characters: { choice: 'characters, folded', one: 'character', many: 'characters' },
}
