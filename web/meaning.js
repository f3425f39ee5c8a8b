/**
 * Rung 6 from the page's side: texts out of Python, through the workers, and what was found back in.
 *
 * A run starts with a click and ends with vectors that stay until they are cleared or the inputs
 * change; a move of the threshold compares nothing again unless pairs had to be left out.
 *
 * @import { MeaningAsk, MeaningResult } from './types.d.ts'
 * @import { Call, Store } from './controller.js'
 * @import { Tell } from './meaning-pool.js'
 * @import { Held } from './meaning-search.js'
 * @import { MeaningState } from './meaning-state.js'
 * @import { State } from './state.js'
 */

import { saveFile } from './lib/download.js'
import { meaningKey } from './meaning-inputs.js'
import { createPool, cutTexts, embedNodes, MODEL_FILES } from './meaning-pool.js'
import { countUnreadable, groupRows, lowestOf, matchRows } from './meaning-search.js'
import { forgotten, keyOf, ROWS_AT_MOST, ROWS_AT_ONCE } from './meaning-state.js'
import { asWire, cancelled, isCancelled } from './rpc.js'
import { wireSettings } from './state.js'

const WORKERS = 4
const FEW = 128 // rows for which more than one worker is not worth its start
const NEAREST_ROWS = 200 // of the table, at a time

/** @typedef {{ load(path: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>, sha256(path: string): string, bytes: number, inside: boolean }} ModelFiles */

/**
 * @param {{ store: Store, call: Call, complain: (error: unknown) => void, inWorker: (state: State) => boolean, onShown: () => void }} parts
 *   `onShown` is called when what the overview tells of this rung may have changed
 */
export function createMeaning({ store, call, complain, inWorker, onShown }) {
  /** @type {ReturnType<typeof createPool> | null} */
  let pool = null
  /** @type {ModelFiles | null} */
  let files = null
  /** @type {Held | null} */
  let held = null
  /** @type {AbortController | null} */
  let running = null
  /** @type {((go: boolean) => void) | null} */
  let answer = null
  let looks = 0

  /** @param {Partial<MeaningState>} patch */
  const change = (patch) => store.dispatch({ type: 'meaning-changed', patch })

  /**
   * The build has the model: from here on it can be started.
   *
   * @param {ModelFiles} found
   */
  function offer(found) {
    files = found
    pool = createPool(found.load)
    change({ modelBytes: found.bytes, modelInside: found.inside })
  }

  /** After every change: ask what a run would compare, and drop vectors of other inputs. */
  function settleMeaning() {
    const state = store.get()
    const key = meaningKey(state)
    const { meaning } = state
    if (running && meaning.key !== key) stopMeaning()
    if (held && meaning.key !== key) forget()
    if (meaning.planKey === key || state.tab !== 'meaning') return
    if (key !== null && !isIn(state)) return
    change({ planKey: key, plan: null })
    if (key !== null) void plan(key)
  }

  /**
   * Whether the worker holds what a run reads; inside one file that is the test file alone.
   *
   * @param {State} state
   */
  function isIn(state) {
    return inWorker(state.meaning.mode === 'within' ? { ...state, mode: 'one' } : state)
  }

  /** @param {string} key */
  async function plan(key) {
    const { mode } = store.get().meaning
    try {
      const found = await call('meaning_plan', { mode, settings: wireSettings(store.get()) })
      if (store.get().meaning.planKey === key) change({ plan: found })
    } catch (error) {
      if (store.get().meaning.planKey === key) change({ error: asWire(error) })
    }
  }

  function forget() {
    held = null
    change({ live: false })
    call('meaning_clear', {}).then(onShown, complain)
  }

  /**
   * @param {'' | 'sample' | 'flagged'} pick which rows, where there are too many
   */
  async function startMeaning(pick = '') {
    const key = meaningKey(store.get())
    if (!pool || !files || running || key === null) return
    const abort = new AbortController()
    running = abort
    held = null
    change({ status: 'running', key, live: false, error: null, progress: null, estimate: null })
    const began = performance.now()
    try {
      const result = await run(pool, files, pick, abort.signal)
      if (running !== abort) return
      const seconds = Math.round(performance.now() - began) / 1000
      pool.rest()
      await show(result, `Meaning: done in ${seconds.toFixed(0)} seconds.`)
    } catch (error) {
      held = null
      if (running !== abort) return
      pool.stop()
      if (isCancelled(error)) change({ status: 'stopped', progress: null, estimate: null })
      else change({ status: 'failed', progress: null, error: asWire(error) })
    } finally {
      if (running === abort) running = null
    }
  }

  /**
   * @param {ReturnType<typeof createPool>} workers
   * @param {ModelFiles} model
   * @param {'' | 'sample' | 'flagged'} pick
   * @param {AbortSignal} signal
   * @returns {Promise<MeaningResult>}
   */
  async function run(workers, model, pick, signal) {
    const { mode, threshold } = store.get().meaning
    const settings = wireSettings(store.get())
    const tell = teller(signal)
    const texts = await call('meaning_texts', { mode, settings, pick, size: ROWS_AT_MOST })
    const every = [...texts.test, ...texts.train]
    const hands = await workers.start(every.length < FEW ? 1 : WORKERS, () =>
      tell('Starting the model', 0, 0),
    )
    if (signal.aborted) throw cancelled()
    change({ modelIn: true })
    const { nodeOf, pieces, cut } = await cutTexts(hands[0], every, { signal, tell })
    const large = Math.max(texts.test.length, texts.train.length) > ROWS_AT_ONCE
    const onFirst = large ? askToGoOn : undefined
    const vectors = await embedNodes(hands, pieces, { signal, tell, onFirst })
    const rows = {
      truncated: cut.reduce((sum, each) => sum + each, 0),
      unreadable: countUnreadable(texts.test, nodeOf),
      sha256: model.sha256(MODEL_FILES.model),
    }
    const count = texts.test.length
    const found = { vectors, nodeOf, rows }
    if (mode === 'across') {
      await matchRows(call, hands, found, { count, signal, tell })
      held = { ...found, floor: 0, whole: true }
    } else held = await groupRows(call, hands[0], found, { threshold, signal, tell })
    return view(threshold, signal)
  }

  /**
   * Everything the page shows at a threshold.
   *
   * @param {number} threshold
   * @param {AbortSignal} signal
   * @returns {Promise<MeaningResult>}
   */
  async function view(threshold, signal) {
    const kept = held
    if (!kept || !pool) throw cancelled()
    if (store.get().meaning.mode === 'across') return call('meaning_view', { threshold })
    if (threshold < kept.floor || (!kept.whole && threshold !== kept.floor)) {
      const [hand] = await pool.start(1)
      held = await groupRows(call, hand, kept, { threshold, signal, tell: teller(signal) })
    }
    const { groups } = await call('meaning_groups', { threshold })
    const workers = pool
    const lowest = await lowestOf(() => workers.start(1), kept.vectors, groups, signal)
    return call('meaning_view', { threshold, lowest })
  }

  /**
   * A new result with the first page of its table and its first pair, all at once.
   *
   * @param {MeaningResult} result
   * @param {string} said
   */
  async function show(result, said) {
    const { mode, ask } = store.get().meaning
    const [first] = result.pairs
    const page = mode === 'across' ? await askTable({ ...ask, offset: 0 }) : null
    const top = page?.rows[0]
    const pair = top
      ? await askPair(top.index, null)
      : first
        ? await askPair(first.a_index, first.b_index)
        : null
    const selected = top
      ? keyOf(top.index, null)
      : first
        ? keyOf(first.a_index, first.b_index)
        : null
    const shown = { result, page, pair, selected, live: true, example: false }
    const patch = { ...shown, status: 'done', progress: null, estimate: null }
    store.dispatch({ type: 'meaning-shown', patch, said })
    onShown()
  }

  /** @param {MeaningAsk} ask */
  function askTable(ask) {
    return call('meaning_table', { sort: '', ...ask, limit: NEAREST_ROWS })
  }

  /**
   * @param {number} index
   * @param {number | null} other
   */
  async function askPair(index, other) {
    return { ...(await call('meaning_pair', { index, other })), within: other !== null }
  }

  /**
   * The last of several moves counts; the ones before it are dropped on their way.
   *
   * @param {number} threshold
   */
  async function setThreshold(threshold) {
    change({ threshold })
    if (!held || running) return
    looks += 1
    const turn = looks
    const abort = new AbortController()
    change({ status: 'looking' })
    try {
      const result = await view(threshold, abort.signal)
      if (turn !== looks || !held) return
      const { summary } = result
      const text = summary.across
        ? `${summary.across.reads_alike} rows read alike with a training row at ${threshold.toFixed(2)}.`
        : `${summary.groups} groups at ${threshold.toFixed(2)}.`
      await show(result, text)
    } catch (error) {
      if (turn !== looks) return
      change({ status: 'done', progress: null })
      complain(error)
    }
  }

  /** @param {'within' | 'across'} mode */
  function setMode(mode) {
    if (store.get().meaning.mode === mode) return
    stopMeaning()
    if (held) forget()
    change({ ...forgotten(store.get().meaning), mode })
    settleMeaning()
  }

  /** A new Python worker knows nothing of this rung; what is shown stays, what runs has failed. */
  function loseTables() {
    const lost = running !== null
    if (lost) stopMeaning()
    held = null
    const message = 'The checker was replaced in the middle of this; nothing half done was kept.'
    change({
      live: false,
      ...(lost && { status: 'failed', error: { code: 'worker-lost', message } }),
    })
  }

  /** @param {Partial<MeaningAsk>} patch */
  async function showNearest(patch) {
    const ask = { ...store.get().meaning.ask, offset: 0, ...patch }
    change({ ask })
    try {
      const page = await askTable(ask)
      if (store.get().meaning.ask === ask) change({ page })
    } catch (error) {
      complain(error)
    }
  }

  /**
   * @param {number} index of a test row
   * @param {number | null} other another test row, or null for the nearest training row
   */
  async function openAlike(index, other) {
    const selected = keyOf(index, other)
    change({ selected })
    try {
      const pair = await askPair(index, other)
      if (store.get().meaning.selected === selected) change({ pair })
    } catch (error) {
      complain(error)
    }
  }

  /** Nothing half done is kept. */
  function stopMeaning() {
    if (!running) return
    const { plan: known } = store.get().meaning
    running.abort()
    running = null
    held = null
    answer?.(false)
    answer = null
    pool?.stop()
    change({ status: 'stopped', progress: null, estimate: null, plan: known, live: false })
  }

  /** Vectors and result go; the model stays. */
  function clearMeaning() {
    stopMeaning()
    pool?.stop()
    forget()
    store.dispatch({ type: 'meaning-cleared' })
    settleMeaning()
  }

  /** @param {boolean} go */
  function confirmMeaning(go) {
    answer?.(go)
    answer = null
  }

  /**
   * Many rows: how long it will take was measured on the first ones; a person decides.
   *
   * @param {number} estimate seconds
   */
  async function askToGoOn(estimate) {
    const go = await new Promise((resolve) => {
      answer = resolve
      change({ status: 'asking', estimate })
    })
    if (!go) throw cancelled()
    change({ status: 'running', estimate: null })
  }

  /** @param {string} what "pairs.csv", "groups.csv", "nearest.csv" or "meaning.json" */
  async function saveMeaning(what) {
    const name = what === 'meaning.json' ? 'leakladder-meaning.json' : `leakladder-meaning-${what}`
    store.dispatch({ type: 'notice', text: `Writing ${name}` })
    try {
      await call('write', { what: `meaning/${what}`, text: store.get().withText })
      const bytes = await call('export', { what: 'written' })
      const type = what.endsWith('.csv') ? 'text/csv;charset=utf-8' : 'application/json'
      saveFile(bytes, name, type)
      store.dispatch({ type: 'notice', text: `${name} went to your downloads` })
    } catch (error) {
      complain(error)
    }
  }

  /**
   * Progress with speed and time left, of the phase that is under way.
   *
   * @param {AbortSignal} signal
   * @returns {Tell}
   */
  function teller(signal) {
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
      const rate = seconds > 0.2 && done > before ? (done - before) / seconds : null
      const left = rate ? (total - done) / rate : null
      change({ progress: { phase, done, total, rate, left } })
      if (phase === 'Embedding' && rate) change({ rate })
    }
  }

  return {
    offer,
    settleMeaning,
    loseTables,
    actions: {
      startMeaning,
      stopMeaning,
      clearMeaning,
      confirmMeaning,
      setThreshold,
      setMode,
      showNearest,
      openAlike,
      saveMeaning,
    },
  }
}
