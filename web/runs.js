/**
 * Runs start by themselves: after every change `settle` compares what the inputs ask for with what
 * there is, and stops or starts runs until the two agree.
 *
 * @import { RungName } from './types.d.ts'
 * @import { State } from './state.js'
 * @import { Call, Store, View } from './controller.js'
 */

import { count, plural } from './lib/format.js'
import { asWire, isCancelled } from './rpc.js'
import { RUNGS, searchKey, wantedKey, wireSettings } from './state.js'

const QUEUED =
  'The files are being loaded into a new worker; the check runs as soon as they are in.'

/**
 * @param {{ store: Store, call: Call, inWorker: (state: State) => boolean, firstView: (rung: RungName) => Promise<View>, onIdle: () => void }} parts
 *   `onIdle` is called when the last run of several has ended
 */
export function createRuns({ store, call, inWorker, firstView, onIdle }) {
  /** @type {Map<RungName, { key: string, search: string, abort: AbortController }>} */
  const running = new Map()
  /** @type {Set<RungName>} asked for while the worker was without its files */
  const queued = new Set()
  let timer = 0

  /**
   * Start what is asked for and not there; stop what is no longer asked for.
   *
   * @param {number} [pause] milliseconds in which more may be asked for
   */
  function settle(pause = 0) {
    clearTimeout(timer)
    timer = setTimeout(settleNow, pause)
  }

  function settleNow() {
    const state = store.get()
    for (const rung of rungsInOrder(state)) {
      const wanted = wantedKey(state, rung)
      const now = running.get(rung)
      if (now?.search === searchKey(state, rung) && wanted !== null) continue // looked at again after
      if (now) stopRun(rung)
      if (wanted !== null && inWorker(state) && isDue(state, rung, wanted)) void run(rung, wanted)
    }
  }

  /**
   * @param {RungName} rung
   * @param {string} key
   */
  async function run(rung, key) {
    const abort = new AbortController()
    const ticket = { key, search: searchKey(store.get(), rung), abort }
    running.set(rung, ticket)
    queued.delete(rung)
    store.dispatch({ type: 'run-started', rung, key })
    try {
      const summary = await call(
        'run',
        { rung, settings: wireSettings(store.get()) },
        {
          signal: abort.signal,
          /** @param {unknown} progress */
          onProgress: (progress) => store.dispatch({ type: 'run-progress', rung, progress }),
        },
      )
      const view = await firstView(rung)
      if (running.get(rung) !== ticket) return
      store.dispatch({
        type: 'run-done',
        rung,
        key,
        summary,
        ...view,
        said: sayResult(rung, summary),
      })
    } catch (error) {
      if (running.get(rung) === ticket) endRun(rung, error)
    } finally {
      if (running.get(rung) === ticket) {
        running.delete(rung)
        if (key !== wantedKey(store.get(), rung)) settleNow() // another look was asked for meanwhile
      }
      if (running.size === 0) onIdle()
    }
  }

  /**
   * @param {RungName} rung
   * @param {unknown} error
   */
  function endRun(rung, error) {
    if (isCancelled(error))
      queue(rung) // nobody stopped it: its worker was replaced
    else store.dispatch({ type: 'run-failed', rung, error: asWire(error) })
  }

  /**
   * `settle` starts it once a worker has the files.
   *
   * @param {RungName} rung
   */
  function queue(rung) {
    queued.add(rung)
    store.dispatch({ type: 'run-queued', rung })
  }

  /**
   * @param {RungName} rung
   * @param {string | null} [asked] what waits for a person's word from now on
   */
  function stopRun(rung, asked) {
    running.get(rung)?.abort.abort()
    running.delete(rung)
    store.dispatch({ type: 'run-stopped', rung, asked })
  }

  function stopRuns() {
    for (const rung of [...running.keys(), ...queued]) stopRun(rung, wantedKey(store.get(), rung))
    queued.clear()
  }

  /** Run what was stopped or has failed; at once, or as soon as the worker has the files. */
  function again() {
    const state = store.get()
    for (const rung of rungsInOrder(state)) {
      const wanted = wantedKey(state, rung)
      const { key, live } = state.rungs[rung]
      if (wanted === null || running.has(rung) || (key === wanted && live)) continue
      if (inWorker(state)) void run(rung, wanted)
      else queue(rung)
    }
    if (queued.size > 0) store.dispatch({ type: 'notice', text: QUEUED })
  }

  return { settle, again, stopRuns }
}

/**
 * What was stopped or has failed waits for a person's word.
 *
 * @param {State} state
 * @param {RungName} rung
 * @param {string} wanted
 */
function isDue({ rungs }, rung, wanted) {
  const { key, live, asked, status } = rungs[rung]
  if (key === wanted && live) return false
  return !(asked === wanted && (status === 'stopped' || status === 'failed'))
}

/**
 * The open tab comes first.
 *
 * @param {State} state
 * @returns {RungName[]}
 */
function rungsInOrder({ tab }) {
  return RUNGS.toSorted((a, b) => Number(b === tab) - Number(a === tab))
}

/**
 * For the live region: the one line that a screen reader should hear.
 *
 * @param {RungName} rung
 * @param {any} summary
 */
function sayResult(rung, summary) {
  if (rung === 'ngrams') {
    return summary.checkable === 0
      ? 'N-grams: nothing could be checked.'
      : `N-grams: ${count(summary.flagged)} of ${plural(summary.checkable, 'row')} flagged at n ${summary.stamp.n}.`
  }
  if (rung === 'rows')
    return `Rows, word for word in training: ${count(summary.exact.test_rows)} of ${plural(summary.counts.test, 'row')}.`
  return `Published rules: ${plural(summary.rules.length, 'rule')} over ${plural(summary.rows, 'row')}.`
}
