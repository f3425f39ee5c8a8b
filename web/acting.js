/**
 * Acting on results: downloads, a file without the rows that were found, words to paste.
 *
 * @import { CleanSummary, RungName, Side } from './types.d.ts'
 * @import { State } from './state.js'
 * @import { Call, Store } from './controller.js'
 * @import { Tell } from './meaning-pool.js'
 */

import { saveFile } from './lib/download.js'
import { plural } from './lib/format.js'
import { markNames } from './marking.js'
import { isMeaningStale } from './meaning-inputs.js'
import { reportPage } from './report.js'
import { asWire } from './rpc.js'
import { isAnswerable, RUNGS } from './state.js'

/** @typedef {(without: number[], options: { signal: AbortSignal, tell: Tell }) => Promise<void>} MatchTraining */
/** @typedef {{ side: Side, by: string[], drop_marks: string[], keep_marks: string[] }} CleanChoice */

/**
 * @param {{ store: Store, call: Call, complain: (error: unknown) => void, copy: (text: string, what: string) => Promise<void>, matchTraining: MatchTraining }} parts
 */
export function createActing({ store, call, complain, copy, matchTraining }) {
  /** @type {AbortController | null} */
  let writing = null

  /** @param {string} what as in the wire's export, "ngrams.csv" */
  function save(what) {
    return write(what, `leakladder-${what}`, givenMarks())
  }

  /** @param {string} what "pairs.csv", "groups.csv", "nearest.csv" or "meaning.json" */
  function saveMeaning(what) {
    const name = what === 'meaning.json' ? 'leakladder-meaning.json' : `leakladder-meaning-${what}`
    return write(`meaning/${what}`, name, givenMarks())
  }

  function givenMarks() {
    const { of } = store.get().marks
    return Object.keys(of).length > 0 ? { marks: of } : {}
  }

  /**
   * A download: written in steps, so that Stop ends it.
   *
   * @param {string} what
   * @param {string} name
   * @param {object} more
   */
  async function write(what, name, more) {
    const { withText } = store.get()
    store.dispatch({ type: 'notice', text: `Writing ${name}` })
    try {
      writing = new AbortController()
      await call('write', { what, text: withText, ...more }, { signal: writing.signal })
      const bytes = await call('export', { what: 'written' })
      saveFile(bytes, name, typeOf(name))
      store.dispatch({ type: 'notice', text: `${name} went to your downloads` })
    } catch (error) {
      complain(error)
    } finally {
      writing = null
    }
  }

  /**
   * What a file without the chosen rows would leave out; `saveCleaned` then hands it over.
   *
   * @param {CleanChoice} choice
   * @param {{ signal: AbortSignal, tell: Tell }} options `signal` ends it, and nothing of it is kept
   * @returns {Promise<CleanSummary | string>} the reason where it cannot be made
   */
  async function clean(choice, { signal, tell }) {
    const marks = markNames(store.get().marks.of)
    try {
      if (choice.side === 'train' && choice.by.includes('meaning')) {
        const spared = Object.keys(marks).filter((at) => choice.keep_marks.includes(marks[at]))
        await matchTraining(spared.map(Number), { signal, tell })
      }
      return await call('clean', { ...choice, marks }, { signal })
    } catch (error) {
      return asWire(error).message
    }
  }

  /** @param {CleanSummary} summary */
  async function saveCleaned({ name, left_out: out }) {
    try {
      const bytes = await call('export', { what: 'cleaned' })
      saveFile(bytes, name, typeOf(name))
      store.dispatch({
        type: 'notice',
        text: `${name} without ${plural(out, 'row')} went to your downloads`,
      })
    } catch (error) {
      complain(error)
    }
  }

  /** @param {'sentence' | 'markdown'} form */
  async function cite(form) {
    try {
      const found = await call('cite', { rungs: citedRungs(store.get()) })
      await copy(found[form], form === 'sentence' ? 'the sentence' : 'the Markdown table')
    } catch (error) {
      complain(error)
    }
  }

  /** A page of its own with the whole result, for somebody who was not here. */
  async function saveReport() {
    const name = 'leakladder-report.html'
    store.dispatch({ type: 'notice', text: `Writing ${name}` })
    try {
      const state = store.get()
      const rungs = answerableRungs(state)
      const { sentence } = await call('cite', { rungs: citedRungs(state) })
      const top = rungs.includes('ngrams') ? await topPairs(call) : []
      const text = reportPage({ state, rungs, sentence, pairs: state.withText ? top : [] })
      saveFile(new TextEncoder().encode(text), name, 'text/html;charset=utf-8')
      store.dispatch({ type: 'notice', text: `${name} went to your downloads` })
    } catch (error) {
      complain(error)
    }
  }

  function stopWriting() {
    writing?.abort()
  }

  return { save, saveMeaning, clean, saveCleaned, cite, saveReport, stopWriting }
}

const TOP = 20 // pairs in the HTML report
const UNCAUGHT = ['none', 'unjudged']

/**
 * The pairs that are read first: worst first by shared runs, then what only another rung caught.
 *
 * @param {Call} call
 */
async function topPairs(call) {
  const query = { rung: 'ngrams', sort: '', descending: true, filter: '', subset: 'flagged' }
  const page = { offset: 0, limit: TOP }
  const { rows } = await call('table', { ...query, ...page })
  const order = { rung: 'overview', sort: 'lowest', descending: false, filter: '', subset: '' }
  const others = (await call('table', { ...order, ...page })).rows
  const caught = others.filter((/** @type {any} */ { lowest }) => !UNCAUGHT.includes(lowest))
  const indices = new Set([...rows, ...caught].map(({ index }) => index))
  const pairs = []
  for (const index of [...indices].slice(0, TOP)) {
    pairs.push(await call('pair', { rung: 'overview', index }))
  }
  return pairs
}

/**
 * The rungs whose numbers belong to the files and settings on the page.
 *
 * @param {State} state
 * @returns {RungName[]}
 */
export function answerableRungs(state) {
  return RUNGS.filter((rung) => isAnswerable(state, rung))
}

/**
 * Meaning is cited as it was compared: within the test rows or with the training rows.
 *
 * @param {State} state
 * @returns {string[]}
 */
function citedRungs(state) {
  const alike = state.meaning.live && !isMeaningStale(state)
  return alike ? [...answerableRungs(state), 'meaning'] : answerableRungs(state)
}

/** @param {string} name */
function typeOf(name) {
  if (name.endsWith('.csv')) return 'text/csv;charset=utf-8'
  return name.endsWith('.json') ? 'application/json' : 'application/octet-stream'
}
