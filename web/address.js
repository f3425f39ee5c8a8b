/**
 * The address and the view, kept in step: a link opens a view, and while an example is shown the
 * address names it. With a person's own files the address never changes by itself.
 *
 * @import { Side, StoredExample } from './types.d.ts'
 * @import { State } from './state.js'
 * @import { Link, LinkSettings } from './lib/link.js'
 * @import { Rows } from './lib/payload.js'
 */

import { formatLink, MAX_ADDRESS, parseLink } from './lib/link.js'
import { packRows, unpackRows } from './lib/payload.js'
import { LEAST, MOST } from './meaning-state.js'
import { initialState, RANGES, SIDES } from './state.js'

const PAUSE_MS = 300 // browsers limit how often an address may change
const FIRST = 'ngrams' // what a page without a link shows
const OURS = { leakladder: true } // marks our entries of the history
const LINK_RANGES = { ...RANGES, cosine: { min: LEAST, max: MOST, optional: false } }

/** @typedef {{ get(): State, dispatch(action: { type: string, [more: string]: any }): void, subscribe(listener: (state: State) => void): void }} Store */
/** @typedef {{ showExample(name: string, example: StoredExample): Promise<void>, takeLinked(rows: Rows): Promise<void>, carried(): Rows | null, clear(side: Side): void, settle(): void, setThreshold(cosine: number): Promise<void> }} Actions */

/**
 * @param {{ store: Store, act: Actions, examples: Record<string, StoredExample> }} parts
 */
export function createAddress({ store, act, examples }) {
  const known = { examples: Object.keys(examples), ranges: LINK_RANGES }
  /** @type {Record<Side, string[] | null>} fields that a link asks for, of files that are to come */
  const asked = { test: null, train: null }
  let last = ''
  let opening = false // the view follows the address, not the other way round
  let timer = 0

  /** Open what the address says, the first example where it says nothing. */
  function start() {
    mark()
    open()
    store.subscribe(follow)
    addEventListener('popstate', ({ state }) => state?.leakladder && goBack())
    addEventListener('hashchange', () => {
      if (history.state?.leakladder) return
      mark()
      open()
    })
  }

  function open() {
    const found = parseLink(location.hash, known)
    if (found) apply(found.link, found.notices)
    else if (location.hash === '') showExample(FIRST, {}, null)
  }

  /** A person's files are not given up for a step through the history. */
  function goBack() {
    const { example, slots } = store.get()
    if (example === null && SIDES.some((side) => slots[side].status !== 'empty')) {
      tell(['Your files stay. To see an example again, choose it above.'])
    } else open()
  }

  /**
   * @param {Link} link
   * @param {string[]} notices
   */
  function apply(link, notices) {
    asked.test = link.fields
    asked.train = link.trainFields ?? link.fields
    if (link.rows !== null) void takeRows(link, link.rows, notices)
    else if (link.example !== null) {
      showExample(link.example, link.settings, link)
      tell(notices)
    } else {
      const empty = leaveExample()
      applySettings(link)
      tell(empty ? [...notices, 'The link holds settings. Drop two files to use them.'] : notices)
    }
  }

  /**
   * The stored result stands only where the link changes nothing that it was computed with.
   *
   * @param {string} name
   * @param {LinkSettings} settings
   * @param {Link | null} link
   */
  function showExample(name, settings, link) {
    const stored = examples[name]
    const changed = Object.keys(settings).length > 0 || Boolean(link?.fields)
    const example = { ...stored, settings: { ...stored.settings, ...settings } }
    opening = true
    void act.showExample(name, changed ? { ...example, summary: null } : example)
    chooseFields(store.get())
    if (link?.rung) store.dispatch({ type: 'tab-opened', tab: link.rung })
    opening = false
    last = written(store.get())
  }

  /**
   * @param {Link} link
   * @param {string} packed
   * @param {string[]} notices
   */
  async function takeRows(link, packed, notices) {
    try {
      const rows = await unpackRows(packed, store.get().bounds.bytes)
      leaveExample()
      applySettings(link)
      const taken = act.takeLinked(rows) // which takes older notices away
      tell([...notices, 'These rows came inside the link.'])
      await taken
    } catch (error) {
      showExample(FIRST, {}, null)
      tell([...notices, error instanceof Error ? error.message : String(error)])
    }
  }

  /** @returns {boolean} whether no file is in now */
  function leaveExample() {
    if (store.get().example !== null) for (const side of SIDES) act.clear(side)
    return SIDES.every((side) => store.get().slots[side].status === 'empty')
  }

  /** @param {Link} link */
  function applySettings({ settings, rung }) {
    store.dispatch({ type: 'settings-linked', settings })
    void act.setThreshold(settings.cosine ?? initialState().meaning.threshold)
    if (rung) store.dispatch({ type: 'tab-opened', tab: rung })
    chooseFields(store.get())
    act.settle()
  }

  /** @param {string[]} notices */
  function tell(notices) {
    if (notices.length > 0) store.dispatch({ type: 'notice', text: notices.join(' ') })
  }

  /** @param {State} state */
  function follow(state) {
    chooseFields(state)
    if (state.example === null || opening) return
    const now = written(state)
    if (now === last) return
    const turned = turn(now) !== turn(last)
    last = now
    clearTimeout(timer)
    if (turned) write(now, true)
    else timer = setTimeout(() => store.get().example !== null && write(now, false), PAUSE_MS)
  }

  /**
   * Fields that a link asks for, once the file that has them is read.
   *
   * @param {State} state
   */
  function chooseFields({ slots }) {
    for (const side of SIDES) {
      const fields = asked[side]
      const { status, facts } = slots[side]
      if (fields === null || status !== 'ready' || !facts) continue
      asked[side] = null
      const paths = facts.fields.map(({ path }) => path)
      const lacking = fields.filter((path) => !paths.includes(path))
      if (lacking.length === 0) store.dispatch({ type: 'fields-chosen', side, fields })
      else tell([`${facts.name} has no field ${lacking.join(', ')}, which the link asks for.`])
      act.settle()
    }
  }

  /**
   * The fragment of what is shown, without rows.
   *
   * @param {State} state
   */
  function written({ example, tab, settings, slots, meaning }) {
    const stored = example === null ? null : examples[example]
    const first = initialState()
    const base = { ...first.settings, cosine: first.meaning.threshold, ...stored?.settings }
    const { fields } = slots.test
    const same = JSON.stringify(fields) === JSON.stringify(slots.train.fields)
    const view = {
      example,
      rung: stored?.rung === tab ? null : tab,
      settings: { ...settings, cosine: meaning.threshold },
      fields,
      trainFields: same ? null : slots.train.fields,
    }
    return formatLink(view, base)
  }

  /**
   * A whole address that opens what is shown.
   *
   * @param {boolean} withRows
   * @returns {Promise<{ address: string, fits: boolean }>}
   */
  async function make(withRows) {
    const rows = withRows ? act.carried() : null
    const hash = written(store.get()) + (rows ? `&rows=${await packRows(rows)}` : '')
    const address = location.href.split('#')[0] + hash
    return { address, fits: !withRows || (rows !== null && address.length <= MAX_ADDRESS) }
  }

  return { start, make }
}

/** @param {string} hash */
function turn(hash) {
  const { rung, example } = Object.fromEntries(new URLSearchParams(hash.slice(1)))
  return JSON.stringify([rung, example])
}

function mark() {
  history.replaceState(OURS, '')
}

/**
 * @param {string} hash
 * @param {boolean} step whether Back leads to what was before
 */
function write(hash, step) {
  if (step) history.pushState(OURS, '', hash)
  else history.replaceState(OURS, '', hash)
}
