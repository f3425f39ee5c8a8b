import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMarking, markNames, openRecords, parseMarks } from '../../web/marking.js'
import { initialState, marksPair } from '../../web/state.js'
import { createStore, reduce } from '../../web/store.js'

/** A page with two files read, by their hashes. */
function withFiles(test = 'a'.repeat(64), train = 'b'.repeat(64)) {
  return ['test', 'train'].reduce((state, side) => {
    const taken = reduce(state, { type: 'file-taken', side, name: 'secret.csv', size: 3 })
    const facts = {
      side,
      name: 'secret.csv',
      rows: 2,
      sha256: side === 'test' ? test : train,
      fields: [{ path: 'private column' }],
      guess: { text: ['private column'], id: null, split: null },
    }
    return reduce(taken, { type: 'file-read', side, facts })
  }, initialState())
}

function memory() {
  const items = new Map()
  return {
    items,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => items.set(key, value),
    removeItem: (key) => items.delete(key),
  }
}

test('a pair is named by its hashes, and by nothing that can be read', () => {
  const name = marksPair(withFiles())
  assert.match(name, /^a{32}-b{32}-[0-9a-z]+$/)
  assert.notEqual(name, marksPair(withFiles('c'.repeat(64))))
  assert.equal(marksPair(initialState()), null)
})

test('other fields are another pair', () => {
  const state = withFiles()
  const other = reduce(state, { type: 'fields-chosen', side: 'test', fields: ['id'] })
  assert.notEqual(marksPair(state), marksPair(other))
})

test('a mark is kept, comes back with its pair, and goes when it is cleared', () => {
  const kept = memory()
  const first = createStore(withFiles())
  createMarking({ store: first, storage: () => kept, events: new EventTarget() })
  first.dispatch({ type: 'said', text: '' })
  first.dispatch({ type: 'row-marked', records: [2], mark: 'leak' })
  first.dispatch({ type: 'row-noted', record: 2, note: 'again' })
  assert.equal(kept.items.size, 1)

  const second = createStore(withFiles())
  const { clearMarks } = createMarking({
    store: second,
    storage: () => kept,
    events: new EventTarget(),
  })
  second.dispatch({ type: 'said', text: '' })
  assert.deepEqual(second.get().marks.of, { 2: { mark: 'leak', note: 'again' } })
  clearMarks()
  assert.equal(kept.items.size, 0)
})

test('what another tab writes is shown here, and nothing of it is lost by the next mark', () => {
  const kept = memory()
  const tabs = [1, 2].map(() => {
    const store = createStore(withFiles())
    const events = new EventTarget()
    createMarking({ store, storage: () => kept, events })
    store.dispatch({ type: 'said', text: '' })
    return { store, events }
  })
  const mark = (tab, record, name) => {
    tab.store.dispatch({ type: 'row-marked', records: [record], mark: name })
    const [key] = kept.items.keys()
    for (const other of tabs) {
      if (other === tab) continue
      other.events.dispatchEvent(Object.assign(new Event('storage'), { key }))
    }
  }
  mark(tabs[0], 1, 'leak')
  mark(tabs[1], 2, 'fine')
  const both = { 1: { mark: 'leak', note: '' }, 2: { mark: 'fine', note: '' } }
  for (const { store } of tabs) assert.deepEqual(store.get().marks.of, both)
  assert.deepEqual(parseMarks([...kept.items.values()][0]), both)
  const stranger = Object.assign(new Event('storage'), { key: 'leakladder-theme' })
  tabs[0].events.dispatchEvent(stranger)
  assert.deepEqual(tabs[0].store.get().marks.of, both)
})

test('marks of the last result stay while a side is missing', () => {
  const store = createStore(withFiles())
  createMarking({ store, storage: memory, events: new EventTarget() })
  store.dispatch({ type: 'said', text: '' })
  store.dispatch({ type: 'row-marked', records: [1], mark: 'fine' })
  store.dispatch({ type: 'slot-cleared', side: 'train' })
  assert.deepEqual(store.get().marks.of, { 1: { mark: 'fine', note: '' } })
})

test('where storage is blocked the marks still hold, and it is said', () => {
  const store = createStore(withFiles())
  const blocked = () => {
    throw new Error('blocked')
  }
  createMarking({ store, storage: blocked, events: new EventTarget() })
  store.dispatch({ type: 'said', text: '' })
  store.dispatch({ type: 'row-marked', records: [1], mark: 'unsure' })
  assert.equal(store.get().marks.kept, false)
  assert.equal(store.get().marks.of[1].mark, 'unsure')
})

test('the same mark again takes it off; an item is marked as a whole', () => {
  let state = initialState()
  const mark = { type: 'row-marked', records: [1, 5], mark: 'template' }
  state = reduce(state, { type: 'row-marked', records: [1], mark: 'template' })
  state = reduce(state, mark)
  assert.deepEqual(Object.keys(state.marks.of), ['1', '5'])
  state = reduce(state, mark)
  assert.deepEqual(state.marks.of, {})
})

test('what another page wrote there is left out', () => {
  const text = JSON.stringify({
    1: { mark: 'leak', note: '' },
    0: { mark: 'leak', note: '' },
    x: { mark: 'leak', note: '' },
    2: { mark: 'evil', note: '' },
    3: { mark: null, note: 7 },
    4: { mark: null, note: 'a note alone' },
    5: null,
  })
  assert.deepEqual(parseMarks(text), {
    1: { mark: 'leak', note: '' },
    4: { mark: null, note: 'a note alone' },
  })
  assert.deepEqual(parseMarks('not json'), {})
  assert.deepEqual(parseMarks(null), {})
})

test('notes alone are no marks for a cleaned file', () => {
  assert.deepEqual(markNames({ 1: { mark: 'fine', note: '' }, 2: { mark: null, note: 'x' } }), {
    1: 'fine',
  })
})

test('a key on the rows tab speaks of every row of the item', () => {
  const state = initialState()
  const item = { test: { rows: [{ record: 2 }, { record: 9 }] } }
  const rungs = { ...state.rungs, rows: { ...state.rungs.rows, item } }
  assert.deepEqual(openRecords({ ...state, tab: 'rows', rungs }), [2, 9])
  assert.deepEqual(openRecords({ ...state, tab: 'train', rungs }), [])
})

test('of two alike rows the chosen pair is marked, also while the one before it is still shown', () => {
  const state = initialState()
  const pair = { test: { index: 4, record: 5 } }
  const page = { rows: [{ index: 7, record: 8 }] }
  const result = { pairs: [{ a_index: 1, a_record: 2, b_index: 3, b_record: 4 }] }
  /** @param {string | null} selected */
  const read = (selected) => {
    const meaning = { ...state.meaning, page, result, pair, selected }
    return openRecords({ ...state, tab: 'meaning', meaning })
  }
  assert.deepEqual(read('7'), [8])
  assert.deepEqual(read('1-3'), [2])
  assert.deepEqual(read('4-9'), [5]) // in no list that is there: what is shown
  assert.deepEqual(openRecords({ ...state, tab: 'meaning' }), [])
})

test('the chosen row is marked, also while the one before it is still shown', () => {
  const state = initialState()
  const pair = { test: { index: 4, record: 5 } }
  const item = { test: { rows: [{ record: 2 }, { record: 9 }], more: 0 } }
  const places = [
    { rows: [{ record: 2 }], more: 1 },
    { rows: [{ record: 7 }, { record: 8 }], more: 0 },
    { rows: [{ record: 3 }], more: 40 },
  ]
  const rows = places.map((test, at) => ({ at, index: at, record: at + 1, test }))
  /** @param {number} selected */
  const read = (selected) => {
    const looked = { page: { rows }, pair, item, selected }
    const rungs = {
      ...state.rungs,
      ngrams: { ...state.rungs.ngrams, ...looked },
      rows: { ...state.rungs.rows, ...looked },
    }
    return ['ngrams', 'rows'].map((tab) => openRecords({ ...state, tab, rungs }))
  }
  assert.deepEqual(read(4), [[5], [2, 9]]) // not on this page: what is shown
  assert.deepEqual(read(0), [[1], [2, 9]])
  assert.deepEqual(read(1), [[2], [7, 8]])
  assert.deepEqual(read(2), [[3], []]) // an item's rows are known once it is shown
})
