/**
 * Rung 6 from the page's side: texts out of Python, through the workers, and what was found back in.
 *
 * A run starts with a click and ends with vectors that stay until they are cleared or the inputs
 * change; a move of the threshold compares nothing again unless pairs had to be left out.
 *
 * @import { MeaningResult } from './types.d.ts'
 * @import { Call, Store } from './controller.js'
 * @import { ModelFiles, Tell } from './meaning-pool.js'
 * @import { Held } from './meaning-search.js'
 * @import { MeaningEstimate, MeaningState } from './meaning-state.js'
 * @import { State } from './state.js'
 */

import { isLong, ROWS_AT_MOST, ROWS_AT_ONCE } from './lib/estimate.js'
import { matchBack, matchRows } from './meaning-across.js'
import { lowestStored, takeStored } from './meaning-example.js'
import { meaningKey } from './meaning-inputs.js'
import { createMeaningLooks } from './meaning-looks.js'
import { createPool, cutTexts, embedNodes, MODEL_FILES } from './meaning-pool.js'
import { createTeller, sayFound } from './meaning-progress.js'
import { countUnreadable, FLOOR, groupRows, lowestOf } from './meaning-search.js'
import { forgotten } from './meaning-state.js'
import { asWire, cancelled, isCancelled } from './rpc.js'
import { wireSettings } from './state.js'

const WORKERS = 4
const FEW = 128 // rows for which more than one worker is not worth its start

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
  /** @type {string | null} the inputs that `held`, or the run under way, is of */
  let of = null
  /** @type {AbortController | null} */
  let running = null
  /** @type {((go: boolean) => void) | null} */
  let answer = null
  /** @type {AbortController | null} the look at another threshold that is under way */
  let looked = null
  /** @type {MeaningState['stored']} what came with an example and was given to Python */
  let given = null

  /** @param {Partial<MeaningState>} patch */
  const change = (patch) => store.dispatch({ type: 'meaning-changed', patch })
  const { firstLook, ...looking } = createMeaningLooks({ store, call, change, complain })

  /**
   * The build has the model: from here on it can be started.
   *
   * @param {ModelFiles} found
   */
  function offer(found) {
    files = found
    pool = createPool(found)
    change({ modelBytes: found.bytes, modelInside: found.inside })
  }

  /** After every change: ask what a run would compare, and drop vectors of other inputs. */
  function settleMeaning() {
    const state = store.get()
    const key = meaningKey(state)
    const { meaning } = state
    if (running && of !== key) stopMeaning()
    if (held && of !== key) forget()
    if (state.tab !== 'meaning' || (key !== null && !isIn(state))) return
    if (isStoredDue(meaning, key)) void giveStored(meaning.stored)
    if (meaning.planKey === key) return
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

  /**
   * An example brings its cosines along: no model is needed for any threshold.
   *
   * @param {MeaningState} meaning
   * @param {string | null} key
   */
  function isStoredDue({ stored, status }, key) {
    const free = !held && !running && status !== 'failed'
    return stored !== null && stored !== given && stored.key === key && free
  }

  /** @param {MeaningState['stored']} stored */
  async function giveStored(stored) {
    if (!stored) return
    given = stored
    of = stored.key
    try {
      const settings = wireSettings(store.get())
      await call('meaning_texts', { mode: 'within', settings })
      if (running || given !== stored) return
      const taken = await takeStored(call, stored)
      if (running || given !== stored) return
      held = taken
      await look()
    } catch (error) {
      if (given !== stored) return
      change({ example: false })
      complain(error)
    }
  }

  function forget() {
    held = given = null
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
    of = key
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
    const tell = createTeller(change, signal)
    const texts = await call('meaning_texts', { mode, settings, pick, size: ROWS_AT_MOST })
    const every = [...texts.test, ...texts.train]
    const hands = await workers.start(every.length < FEW ? 1 : WORKERS, () =>
      tell('Starting the model', 0, 0),
    )
    if (signal.aborted) throw cancelled()
    change({ modelIn: true })
    const { nodeOf, pieces, cut } = await cutTexts(hands, every, { signal, tell })
    const largest = Math.max(texts.test.length, texts.train.length)
    /** @param {MeaningEstimate & { speed: number }} measured */
    const onFirst = async ({ speed, ...estimate }) => {
      change({ speed, estimate })
      if (isLong(largest, estimate.seconds)) await askToGoOn()
    }
    const vectors = await embedNodes(hands, pieces, { signal, tell, onFirst })
    const rows = {
      truncated: cut.reduce((sum, each) => sum + each, 0),
      unreadable: countUnreadable(texts.test, nodeOf),
      sha256: model.sha256(MODEL_FILES.model),
    }
    const count = texts.test.length
    const found = { vectors, nodeOf, rows }
    if (mode === 'across') {
      const { own } = texts
      await matchRows(call, hands, found, { count, own, signal, tell })
      held = { ...found, count, own, floor: 0, whole: true }
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
    if (!kept) throw cancelled()
    const ask = askOf(kept, signal)
    if (store.get().meaning.mode === 'across') return ask('meaning_view', { threshold })
    if (threshold < kept.floor || (!kept.whole && threshold !== kept.floor)) {
      const [hand] = await startOne()
      const tell = createTeller(change, signal)
      const floor = threshold < kept.floor ? threshold : FLOOR // under it there were too many
      held = await groupRows(call, hand, kept, { threshold, floor, signal, tell })
    }
    const { groups } = await ask('meaning_groups', { threshold })
    const lowest = kept.cosines
      ? lowestStored(kept.cosines, groups)
      : await lowestOf(startOne, kept.vectors, groups, signal)
    return ask('meaning_view', { threshold, lowest })
  }

  /**
   * A short look is answered between two steps of a search that is under way; one over many rows is
   * a job of its own, which tells how far it is and can be stopped.
   *
   * @param {Held} kept
   * @param {AbortSignal} signal
   * @returns {Call}
   */
  function askOf({ nodeOf }, signal) {
    if (nodeOf.length <= ROWS_AT_ONCE) return call
    const tell = createTeller(change, signal)
    /** @param {{ phase: string, done: number, total: number }} progress */
    const onProgress = ({ done, total }) => tell('Recomputing at the threshold', done, total)
    return (method, params) =>
      call(`${method}_steps`, params, { signal, onProgress, patient: true })
  }

  /**
   * Before a training file is cleaned: each of its rows is held against the test rows that count.
   *
   * @param {number[]} without records of test rows that do not count
   * @param {{ signal: AbortSignal, tell: Tell }} options
   */
  function matchTraining(without, options) {
    return matchBack(call, startOne, held, { without, ...options })
  }

  async function startOne() {
    if (!pool) throw cancelled() // there are vectors only where there are workers
    return pool.start(1)
  }

  /**
   * A new result with the first page of its table and its first pair, all at once.
   *
   * @param {MeaningResult} result
   * @param {string} said
   */
  async function show(result, said) {
    const example = Boolean(held?.cosines)
    const shown = { ...(await firstLook(result)), live: true, example }
    const patch = { ...shown, status: 'done', progress: null, estimate: null }
    store.dispatch({ type: 'meaning-shown', patch, said })
    onShown()
  }

  /**
   * The last of several moves counts; the ones before it are dropped on their way.
   *
   * @param {number} threshold
   */
  async function setThreshold(threshold) {
    change({ threshold })
    if (held && !running) await look()
  }

  /** Show what is held at the threshold that is set. */
  async function look() {
    const { threshold } = store.get().meaning
    looked?.abort()
    const abort = new AbortController()
    looked = abort
    change({ status: 'looking', progress: null })
    try {
      const result = await view(threshold, abort.signal)
      if (looked !== abort || !held) return
      await show(result, sayFound(result.summary))
    } catch (error) {
      if (looked !== abort) return
      change({ status: 'done', progress: null })
      complain(error)
    }
  }

  /** Back to the threshold that is shown. */
  function stopLooking() {
    looked?.abort()
    looked = null
    const { status, result } = store.get().meaning
    if (status !== 'looking' || !result) return
    change({ status: 'done', progress: null, threshold: result.summary.threshold })
  }

  /** @param {'within' | 'across'} mode */
  function setMode(mode) {
    if (store.get().meaning.mode === mode) return
    stopMeaning()
    if (held) forget()
    given = null
    const { stored, ...before } = store.get().meaning
    const example = stored !== null && mode === 'within'
    change({
      ...forgotten({ stored, ...before }),
      mode,
      stored,
      example,
      key: example ? stored.key : null,
    })
    settleMeaning()
  }

  /** A new Python worker knows nothing of this rung; what is shown stays, what runs has failed. */
  function loseTables() {
    const lost = running !== null
    if (lost) stopMeaning()
    held = null
    const message = 'The checker was replaced in the middle of this; nothing half done was kept.'
    if (lost) change({ status: 'failed', error: { code: 'worker-lost', message } })
  }

  /** Nothing half done is kept. */
  function stopMeaning() {
    if (!running) return stopLooking()
    const { plan: known } = store.get().meaning
    running.abort()
    running = null
    held = given = null
    answer?.(false)
    answer = null
    pool?.stop()
    if (store.get().meaning.key !== of) return // other inputs are shown by now
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

  /** A long run: how long it will take was measured on its first rows; a person decides. */
  async function askToGoOn() {
    const go = await new Promise((resolve) => {
      answer = resolve
      change({ status: 'asking' })
    })
    if (!go) throw cancelled()
    change({ status: 'running' })
  }

  return {
    offer,
    settleMeaning,
    loseTables,
    matchTraining,
    actions: {
      startMeaning,
      stopMeaning,
      clearMeaning,
      confirmMeaning,
      setThreshold,
      setMode,
      ...looking,
    },
  }
}
