/**
 * Files on their way in: from a person or an example to the worker, with their bytes kept for a
 * worker that has to be replaced.
 *
 * @import { FileFacts, ReadOptions, Side, StoredExample, WireError } from './types.d.ts'
 * @import { State } from './state.js'
 * @import { Call, Store } from './controller.js'
 * @import { Rows } from './lib/payload.js'
 */

import { guessRoles } from './lib/roles.js'
import { asWire, isCancelled } from './rpc.js'
import { SIDES } from './state.js'

/**
 * The whole file, once: what happens to it on the disk afterwards changes nothing here.
 *
 * @param {File} file
 * @returns {Promise<Uint8Array | null>} null where the browser cannot read it
 */
async function bytesOf(file) {
  try {
    return new Uint8Array(await file.arrayBuffer())
  } catch {
    return null // told on the card
  }
}

/**
 * @param {{ store: Store, call: Call, settle: () => void, stopRuns: () => void, complain: (error: unknown) => void }} parts
 */
export function createIntake({ store, call, settle, stopRuns, complain }) {
  /** @type {Record<Side, { bytes: Uint8Array, name: string } | null>} */
  const held = { test: null, train: null }
  /** @type {Record<Side, number>} slot version that the worker holds, -1 for none */
  const loaded = { test: -1, train: -1 }
  /** @type {Record<Side, AbortController | null>} */
  const loading = { test: null, train: null }

  /**
   * @param {Side} side
   * @param {File} file
   */
  async function takeFile(side, file) {
    const { bounds } = store.get()
    if (file.size > bounds.bytes) {
      drop(side)
      store.dispatch({ type: 'file-over', side, name: file.name, size: file.size })
      return
    }
    const bytes = await bytesOf(file)
    if (bytes) return takeBytes(side, file.name, bytes)
    if (store.get().example !== null) for (const each of SIDES) drop(each)
    drop(side)
    store.dispatch({ type: 'file-taken', side, name: file.name, size: file.size })
    const message = `${file.name}: the browser could not read it. A folder cannot be read, nor a file that was changed, moved or deleted since it was chosen. Choose it again.`
    return refuse(side, { code: 'unreadable-file', message })
  }

  /**
   * @param {Side} side
   * @param {string} name
   * @param {Uint8Array} bytes
   */
  async function takeBytes(side, name, bytes) {
    if (store.get().example !== null) for (const each of SIDES) drop(each)
    drop(side)
    held[side] = { bytes, name }
    store.dispatch({ type: 'file-taken', side, name, size: bytes.length })
    await load(side)
  }

  /**
   * Two files fill both slots, each by its name; one goes where it was dropped, or where there is
   * room.
   *
   * @param {File[]} files
   * @param {Side | null} side
   */
  async function takeFiles(files, side) {
    if (files.length > 2) {
      store.dispatch({
        type: 'notice',
        tone: 'bad',
        text: 'Drop one file, or two: test and training.',
      })
    } else if (files.length === 2 && store.get().mode === 'two') {
      const roles = guessRoles(files[0], files[1])
      await Promise.all([takeFile('test', roles.test), takeFile('train', roles.train)])
    } else if (files.length > 0) await takeFile(side ?? freeSide(), files[0])
  }

  /** @returns {Side} */
  function freeSide() {
    const { slots, mode, example } = store.get()
    if (mode === 'one' || example !== null || slots.test.status === 'empty') return 'test'
    return slots.train.status === 'empty' ? 'train' : 'test'
  }

  /**
   * @param {Side} side
   * @param {string} text
   */
  function takeText(side, text) {
    const bytes = new TextEncoder().encode(text)
    const name = side === 'test' ? 'pasted-test.txt' : 'pasted-train.txt'
    const { bounds } = store.get()
    if (bytes.length <= bounds.bytes) return takeBytes(side, name, bytes)
    drop(side)
    return store.dispatch({ type: 'file-over', side, name, size: bytes.length })
  }

  /** @param {Side} side */
  function drop(side) {
    loading[side]?.abort()
    loading[side] = null
    held[side] = null
    loaded[side] = -1
  }

  /**
   * Send the kept bytes to the worker, under the reading options of the slot.
   *
   * @param {Side} side
   * @param {{ early?: boolean }} [options] early: to a worker that is being set up again
   */
  async function load(side, { early = false } = {}) {
    const kept = held[side]
    if (!kept) return
    const { version, options } = store.get().slots[side]
    const abort = new AbortController()
    loading[side] = abort
    const current = () => loading[side] === abort
    try {
      const facts = await call(
        'load',
        { side, name: kept.name, options },
        {
          early,
          data: kept.bytes.slice(),
          signal: abort.signal,
          /** @param {unknown} progress */
          onProgress: (progress) =>
            current() && store.dispatch({ type: 'file-progress', side, progress }),
        },
      )
      if (!current()) return
      loaded[side] = version
      store.dispatch({ type: 'file-read', side, facts })
      if (side === 'test') await offerSplit(facts, early)
    } catch (error) {
      // An example keeps its stored result when Python cannot start; the strip says why.
      const shown = store.get().slots[side].example
      if (current() && !isCancelled(error) && !shown) refuse(side, asWire(error))
    } finally {
      if (current()) loading[side] = null
    }
    settle()
  }

  /**
   * @param {Side} side
   * @param {WireError} error
   */
  function refuse(side, error) {
    loaded[side] = -1
    store.dispatch({ type: 'file-refused', side, error })
  }

  /**
   * @param {Side} side
   * @param {Partial<ReadOptions>} patch
   */
  function readAgain(side, patch) {
    const options = { ...store.get().slots[side].options, ...patch }
    store.dispatch({ type: 'options-changed', side, options })
    return load(side)
  }

  /** @param {Side} side */
  function clear(side) {
    if (store.get().example !== null) for (const each of SIDES) drop(each)
    drop(side)
    store.dispatch({ type: 'slot-cleared', side })
    settle()
  }

  async function swap() {
    stopRuns()
    const { test, train } = held
    held.test = train
    held.train = test
    store.dispatch({ type: 'slots-swapped' })
    const { slots } = store.get()
    try {
      await call('swap', {})
      for (const side of SIDES)
        loaded[side] = slots[side].status === 'ready' ? slots[side].version : -1
    } catch (error) {
      complain(error)
    }
    settle()
  }

  /** @param {State['mode']} mode */
  async function chooseMode(mode) {
    if (store.get().example !== null) for (const each of SIDES) drop(each)
    store.dispatch({ type: 'mode-chosen', mode })
    const { facts } = store.get().slots.test
    if (facts) await offerSplit(facts)
    settle()
  }

  /**
   * @param {FileFacts} facts
   * @param {boolean} [again] a new worker is given a file whose split is picked
   */
  async function offerSplit(facts, again = false) {
    const { mode, split } = store.get()
    if (mode !== 'one' || (again && split.values)) return
    const known = facts.fields.some(({ path }) => path === split.column)
    const column = known ? split.column : facts.guess.split
    if (column !== null) await chooseColumn(column, again)
  }

  /**
   * @param {string} column
   * @param {boolean} [early] as in `load`
   */
  async function chooseColumn(column, early = false) {
    store.dispatch({ type: 'split-column', column })
    try {
      const { values } = await call('split_values', { column }, { early })
      store.dispatch({ type: 'split-values', column, values })
    } catch (error) {
      complain(error)
    }
    settle()
  }

  /**
   * @param {string} name
   * @param {StoredExample} example
   */
  async function showExample(name, example) {
    stopRuns()
    store.dispatch({ type: 'example-shown', name, example })
    for (const side of SIDES) {
      drop(side)
      const { name: file, text } = example[side]
      held[side] = { name: file, bytes: new TextEncoder().encode(text) }
    }
    await Promise.all(SIDES.map((side) => load(side)))
  }

  /**
   * Files that came inside a link: as if a person had given them, read as the link says.
   *
   * @param {Rows} rows
   */
  async function takeLinked({ test, train, split }) {
    store.dispatch({ type: 'mode-chosen', mode: train ? 'two' : 'one' })
    const given = /** @type {const} */ ([
      ['test', test],
      ['train', train],
    ])
    for (const [side, file] of given) {
      drop(side)
      if (!file) continue
      held[side] = { bytes: file.bytes, name: file.name }
      store.dispatch({ type: 'file-taken', side, name: file.name, size: file.bytes.length })
      store.dispatch({ type: 'options-changed', side, options: file.options })
    }
    await Promise.all(SIDES.map((side) => load(side)))
    if (!split) return
    await chooseColumn(split.column)
    for (const side of SIDES) store.dispatch({ type: 'split-picked', side, value: split[side] })
    settle()
  }

  /**
   * What a link would have to carry.
   *
   * @returns {Rows | null} null while a file is missing
   */
  function carried() {
    const { slots, mode, split } = store.get()
    /** @param {Side} side */
    const file = (side) => held[side] && { ...held[side], options: slots[side].options }
    const [test, train] = [file('test'), mode === 'one' ? null : file('train')]
    if (!test || (mode === 'two' && !train)) return null
    const { column, test: judged, train: searched } = split
    const picked = column !== null && judged !== null && searched !== null
    return {
      test,
      train,
      split: mode === 'one' && picked ? { column, test: judged, train: searched } : null,
    }
  }

  /**
   * Whether the worker holds what the slots show.
   *
   * @param {State} state
   */
  function inWorker({ boot, slots, mode }) {
    if (boot.status !== 'ready') return false
    const sides = mode === 'one' ? SIDES.slice(0, 1) : SIDES
    return sides.every((side) => loaded[side] === slots[side].version)
  }

  /** Give up on files that are being read. */
  function stopLoading() {
    for (const side of SIDES) {
      if (!loading[side]) continue
      const { name } = store.get().slots[side]
      drop(side)
      const message = `${name}: stopped while it was being read. Give the file again to read it.`
      refuse(side, { code: 'cancelled', message })
    }
  }

  /** Give a new worker the files that the old one held. */
  async function reload() {
    const { slots } = store.get()
    for (const side of SIDES) {
      loaded[side] = -1
      if (held[side] && slots[side].status !== 'refused') await load(side, { early: true })
    }
  }

  return {
    takeFile,
    takeFiles,
    takeText,
    readAgain,
    clear,
    swap,
    chooseMode,
    chooseColumn,
    showExample,
    takeLinked,
    carried,
    inWorker,
    stopLoading,
    reload,
  }
}
