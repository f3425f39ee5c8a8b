/**
 * What a person can do -> calls to the worker and changes of the state. Nothing is drawn here.
 *
 * @import { Drafts, ItemView, PairView, Side, TablePage, TabName } from './types.d.ts'
 * @import { State } from './state.js'
 */

import { createActing } from './acting.js'
import { createIntake } from './intake.js'
import { commandLine } from './lib/command.js'
import { createMarking } from './marking.js'
import { createMeaning } from './meaning.js'
import { asWire, isCancelled } from './rpc.js'
import { createRuns } from './runs.js'
import { wireSettings } from './state.js'
import { createTables } from './tables.js'

const TICKING_MS = 150 // whoever ticks one field often ticks another, and each asks for a search

/** @typedef {(method: string, params: unknown, options?: any) => Promise<any>} Call */
/** @typedef {{ get(): State, dispatch(action: { type: string, [more: string]: any }): void, subscribe(listener: () => void): void }} Store */
/** @typedef {{ page: TablePage<any>, pair: PairView | null, item: ItemView | null, selected: number | null }} View */

/**
 * @param {Store} store
 * @param {Promise<{ call: Call }>} engineReady
 */
export function createController(store, engineReady) {
  /** @type {Call} */
  const call = async (method, params, options) => (await engineReady).call(method, params, options)

  const tables = createTables({ store, call, complain })
  const runs = createRuns({
    store,
    call,
    inWorker: (state) => intake.inWorker(state),
    firstView: tables.firstView,
    onIdle: () => void tables.refresh(),
  })
  const { settle, stopRuns, again } = runs
  const intake = createIntake({ store, call, settle, stopRuns, complain })
  const { inWorker, stopLoading, reload, ...files } = intake
  const meaning = createMeaning({
    store,
    call,
    complain,
    inWorker,
    onShown: () => void tables.refresh(),
  })
  store.subscribe(() => queueMicrotask(meaning.settleMeaning))
  const { matchTraining } = meaning
  const acting = createActing({ store, call, complain, copy, matchTraining })
  const marking = createMarking({ store, storage: () => localStorage, events: globalThis })
  /** @type {() => void} */
  let share = () => {}

  /** @param {unknown} error */
  function complain(error) {
    if (isCancelled(error)) return
    store.dispatch({ type: 'notice', tone: 'bad', text: asWire(error).message })
  }

  /** The person's Stop: runs end and stay ended until asked for again. */
  function stop() {
    stopRuns()
    stopLoading()
    acting.stopWriting()
    meaning.actions.stopMeaning()
    store.dispatch({ type: 'notice', text: 'Stopped. The files are still here.' })
  }

  /**
   * A new worker took the old one's place: give it the files again, then what is missing.
   *
   * @param {boolean} died the old one ended by itself
   */
  async function refill(died) {
    store.dispatch({ type: 'worker-replaced' })
    meaning.loseTables()
    await reload()
    const why = died ? 'The checker ended unexpectedly' : 'The worker did not stop in time'
    const text = `${why}, so it was replaced. Your files are loaded again.`
    store.dispatch({ type: 'notice', text })
    settle()
  }

  /**
   * @param {string} text
   * @param {string} what
   */
  async function copy(text, what) {
    try {
      await navigator.clipboard.writeText(text)
      store.dispatch({ type: 'notice', text: `Copied ${what}.` })
    } catch {
      const sorry = `The browser did not allow copying ${what}; select the text instead.`
      store.dispatch({ type: 'notice', tone: 'bad', text: sorry })
    }
  }

  /**
   * The command that checks a file over the bound.
   *
   * @param {Side} side the slot that the file was put into
   */
  function command(side) {
    const state = store.get()
    const { test, train } = state.slots
    const rung = state.tab === 'rows' || state.tab === 'rules' ? state.tab : 'ngrams'
    const other = side === 'test' ? train : test
    const known = other.status !== 'empty' && !other.example
    const names = {
      test: side === 'test' || known ? test.name : 'TEST.jsonl',
      train: side === 'train' || known ? train.name : 'TRAIN.jsonl',
    }
    return commandLine(rung, names.test, names.train, wireSettings(state))
  }

  /**
   * A change of the state alone, after which runs may be due.
   *
   * @param {{ type: string, [more: string]: any }} action
   * @param {number} [pause]
   */
  function change(action, pause) {
    store.dispatch(action)
    settle(pause)
  }

  return {
    ...files,
    settle,
    again,
    stop,
    refill,
    copy,
    command,
    showTable: tables.showTable,
    openRow: tables.openRow,
    move: tables.move,
    ...acting,
    ...marking,
    ...meaning.actions,
    offerModel: meaning.offer,
    /** @param {Side} side @param {string} value */
    pickValue: (side, value) => change({ type: 'split-picked', side, value }),
    /** @param {Side} side @param {string[]} fields */
    chooseFields: (side, fields) => change({ type: 'fields-chosen', side, fields }, TICKING_MS),
    /** @param {Side} side @param {string} id */
    chooseId: (side, id) => change({ type: 'id-chosen', side, id }),
    /** @param {keyof Drafts} name @param {string} text */
    draft: (name, text) => change({ type: 'draft-changed', name, text }),
    /** @param {keyof State['settings']} name @param {unknown} value */
    set: (name, value) => change({ type: 'setting-changed', name, value }),
    /** @param {TabName} tab */
    openTab: (tab) => store.dispatch({ type: 'tab-opened', tab }),
    /** @param {boolean} on */
    switchText: (on) => store.dispatch({ type: 'text-switched', on }),
    dismiss: () => store.dispatch({ type: 'notice', text: '' }),
    share: () => share(),
    /** @param {() => void} go how a link is copied, known once there are examples */
    onShare: (go) => {
      share = go
    },
  }
}

/** @typedef {ReturnType<typeof createController>} Actions */
