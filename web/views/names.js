/**
 * Names of the rungs, tabs and rules for people, in one place.
 *
 * @import { RungName, TabName } from '../types.d.ts'
 */

/** @type {Record<RungName, string>} */
export const RUNG_TITLES = { rows: 'Rows', ngrams: 'N-grams', rules: 'Published rules' }

/** @type {RungName[]} */
export const RUNGS = ['rows', 'ngrams', 'rules']

/** @type {Record<TabName, string>} */
export const TAB_TITLES = { overview: 'Overview', ...RUNG_TITLES, meaning: 'Meaning' }

/** @type {TabName[]} */
export const TABS = ['overview', 'rows', 'ngrams', 'rules', 'meaning']

/** Unit of an n-gram, by tokenization. */
export const TOKEN_NAMES = {
  loose: { choice: 'loose, L1+L3+L4', one: 'word', many: 'words' },
  strict: { choice: 'strict, as written', one: 'strict token', many: 'strict tokens' },
  characters: { choice: 'characters, folded', one: 'character', many: 'characters' },
}
