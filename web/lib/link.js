/**
 * The address fragment: what a link says about the view, and how a view is written as one.
 *
 * `#v=1&example=rows&rung=rows&n=8`. Only what differs from the defaults is written. What cannot be
 * read is left at its default and told in words; nothing here throws on a bad link.
 *
 * @import { TabName } from '../types.d.ts'
 */

export const VERSION = 1
export const MAX_ADDRESS = 8192 // characters of a whole address that carries rows

/**
 * @typedef {{
 *   n?: number,
 *   threshold?: number,
 *   tokens?: 'loose' | 'strict' | 'characters',
 *   strip_articles?: boolean,
 *   rule_n?: number | null,
 *   llama_min?: 10 | 11,
 *   cosine?: number,
 * }} LinkSettings by their names in the state
 */

/**
 * @typedef {{
 *   rung: TabName | null,
 *   example: string | null,
 *   settings: LinkSettings,
 *   fields: string[] | null,
 *   trainFields: string[] | null,
 *   rows: string | null,
 * }} Link null where the link says nothing; `trainFields` null means the same as `fields`; `rows` is
 *   a payload as `payload.js` writes it
 */

/** @typedef {{ min: number, max: number, optional: boolean }} Range */
/** @typedef {{ examples: string[], ranges: Record<string, Range> }} Known what this build offers */

const RUNGS = ['overview', 'rows', 'ngrams', 'rules', 'meaning']

/** @typedef {{ setting: keyof LinkSettings, read(text: string, known: Known): unknown, write(value: any): string, want(known: Known): string }} Key */

/** @type {Record<string, Key>} keys of the fragment that are settings, in the order written */
const KEYS = {
  n: whole('n'),
  threshold: whole('threshold'),
  tokens: oneOf('tokens', {
    loose: 'loose',
    strict: 'strict',
    characters: 'characters',
  }),
  l9: oneOf('strip_articles', { 1: true, 0: false }),
  rule_n: whole('rule_n'),
  llama_min: oneOf('llama_min', { 10: 10, 11: 11 }),
  cosine: hundredths('cosine'),
}

/**
 * @param {'n' | 'threshold' | 'rule_n'} setting
 * @returns {Key}
 */
function whole(setting) {
  return {
    setting,
    read(text, { ranges }) {
      const { min, max, optional } = ranges[setting]
      if (optional && text === 'auto') return null
      if (!/^\d{1,3}$/.test(text)) return undefined
      const value = Number(text)
      return value >= min && value <= max ? value : undefined
    },
    write: (value) => (value === null ? 'auto' : String(value)),
    want: ({ ranges }) => `a whole number from ${ranges[setting].min} to ${ranges[setting].max}`,
  }
}

/**
 * @param {'cosine'} setting
 * @returns {Key}
 */
function hundredths(setting) {
  return {
    setting,
    read(text, { ranges }) {
      const { min, max } = ranges[setting]
      if (!/^\d\.\d{1,2}$/.test(text)) return undefined
      const value = Number(text)
      return value >= min && value <= max ? value : undefined
    },
    write: (value) => value.toFixed(2),
    want({ ranges }) {
      const { min, max } = ranges[setting]
      return `a number from ${min.toFixed(2)} to ${max.toFixed(2)} with two decimals`
    },
  }
}

/**
 * @param {keyof LinkSettings} setting
 * @param {Record<string, unknown>} values by what the link writes for them
 * @returns {Key}
 */
function oneOf(setting, values) {
  const names = new Map(Object.entries(values))
  return {
    setting,
    read: (text) => names.get(text),
    write: (value) => [...names].find(([, each]) => each === value)?.[0] ?? '',
    want: () => `one of ${[...names.keys()].join(', ')}`,
  }
}

/**
 * Read a fragment.
 *
 * @param {string} hash `location.hash`, with its #
 * @param {Known} known
 * @returns {{ link: Link, notices: string[] } | null} null when the fragment is no link of ours,
 *   such as the empty one or a place on the page
 */
export function parseLink(hash, known) {
  const text = hash.replace(/^#/, '')
  if (!text.includes('=')) return null
  const given = new URLSearchParams(text)
  /** @type {string[]} */
  const notices = []
  const link = {
    rung: readName(given, 'rung', RUNGS, notices),
    example: readName(given, 'example', known.examples, notices),
    settings: readSettings(given, known, notices),
    fields: given.has('fields') ? given.getAll('fields') : null,
    trainFields: given.has('train_fields') ? given.getAll('train_fields') : null,
    rows: given.get('rows'),
  }
  notices.push(...strangers(given))
  return { link: /** @type {Link} */ (link), notices }
}

/**
 * @param {URLSearchParams} given
 * @param {string} key
 * @param {string[]} names
 * @param {string[]} notices
 */
function readName(given, key, names, notices) {
  const name = given.get(key)
  if (name === null || names.includes(name)) return name
  notices.push(`This page has no ${key} called ${quote(name)}; it has ${names.join(', ')}.`)
  return null
}

/**
 * @param {URLSearchParams} given
 * @param {Known} known
 * @param {string[]} notices
 */
function readSettings(given, known, notices) {
  /** @type {Record<string, unknown>} */
  const settings = {}
  for (const [name, { setting, read, want }] of Object.entries(KEYS)) {
    const text = given.get(name)
    if (text === null) continue
    const value = read(text, known)
    if (value !== undefined) settings[setting] = value
    else {
      const asked = `${name} must be ${want(known)}, not ${quote(text)}`
      notices.push(`The link's ${asked}: the default is used.`)
    }
  }
  return settings
}

/** @param {URLSearchParams} given */
function strangers(given) {
  const version = given.get('v')
  if (version !== null && version !== String(VERSION)) {
    return [
      `This link is of version ${quote(version)}, this page reads version ${VERSION}: what both know is used.`,
    ]
  }
  const ours = new Set([
    ...['v', 'rung', 'example', 'fields', 'train_fields', 'rows'],
    ...Object.keys(KEYS),
  ])
  const odd = [...new Set(given.keys())].filter((key) => !ours.has(key))
  return odd.length ? [`The link says ${odd.map(quote).join(', ')}, which this page ignores.`] : []
}

/**
 * Text of a link as it may be shown: short, and in quotes.
 *
 * @param {string} text
 */
function quote(text) {
  const letters = [...text]
  return `“${letters.length > 40 ? `${letters.slice(0, 40).join('')}…` : text}”`
}

/**
 * Write a fragment.
 *
 * @param {Partial<Link>} view
 * @param {LinkSettings} defaults what a page that opens the link has without it
 * @returns {string} with its #; '#v=1' for a view that is all defaults
 */
export function formatLink({ rung, example, settings = {}, fields, trainFields, rows }, defaults) {
  const out = new URLSearchParams({ v: String(VERSION) })
  if (example) out.set('example', example)
  if (rung) out.set('rung', rung)
  for (const [name, { setting, write }] of Object.entries(KEYS)) {
    const value = settings[setting]
    if (value !== undefined && value !== defaults[setting]) out.set(name, write(value))
  }
  for (const field of fields ?? []) out.append('fields', field)
  for (const field of trainFields ?? []) out.append('train_fields', field)
  if (rows) out.set('rows', rows)
  return `#${out}`
}
