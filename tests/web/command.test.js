import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { commandLine, quoted } from '../../web/lib/command.js'
import { initialState, wireSettings } from '../../web/state.js'

const settings = (patch = {}) => ({ ...wireSettings(initialState()), ...patch })

test('plain settings', () => {
  assert.equal(
    commandLine('ngrams', 'a.jsonl', 'b.jsonl', settings()),
    'leakladder ngrams a.jsonl b.jsonl --n 13',
  )
})

test('everything that was chosen is in it', () => {
  const chosen = settings({
    test_fields: ['question'],
    train_fields: ['question'],
    n: 8,
    threshold: 20,
    tokens: 'characters',
  })
  assert.equal(
    commandLine('ngrams', 'a.jsonl', 'b.jsonl', chosen),
    'leakladder ngrams a.jsonl b.jsonl --field question --n 8 --threshold 20 --tokens characters',
  )
})

test('fields that differ by side', () => {
  const chosen = settings({ test_fields: ['q', 'a'], train_fields: ['text'] })
  assert.equal(
    commandLine('rows', 'a', 'b', chosen),
    'leakladder rows a b --test-field q --test-field a --train-field text',
  )
})

test('one file with its split column', () => {
  const split = { column: 'split', test: 'test', train: 'train set' }
  assert.equal(
    commandLine('ngrams', 'all.csv', 'unused', settings({ split })),
    "leakladder ngrams all.csv --n 13 --split-column split --test test --train 'train set'",
  )
})

test('a name that looks like an option is made a path', () => {
  assert.match(commandLine('rules', '-x.jsonl', 'b', settings()), / \.\/-x\.jsonl b$/)
})

test('a POSIX shell reads back exactly the name', () => {
  for (const name of ['it’s $HOME.jsonl', "it's; rm -rf *", 'a b', '`x`', '', 'naïve.csv']) {
    const out = execFileSync('sh', ['-c', `printf %s ${quoted(name)}`], { encoding: 'utf8' })
    assert.equal(out, name)
  }
})
