/** The page's Parquet decoder over the files that pyarrow wrote (tests/make_read_golden.py). */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { decodeParquet } from '../../web/worker/parquet.js'

const GOLDEN = new URL('../golden/read/parquet/', import.meta.url)
const BOMBS = new URL('../golden/bombs/', import.meta.url)
const PAGE = { rows: 200_000, unpacked: 32_000_000 }

/** @param {URL} url */
const read = (url) => new Uint8Array(readFileSync(url))

/** @param {string} line JSON as Python reads it, which knows NaN and Infinity */
const parse = (line) => JSON.parse(line.replaceAll(/-?(NaN|Infinity)/g, 'null'))

const files = readdirSync(GOLDEN).filter((name) => name.endsWith('.parquet'))

test('there is a file for every codec and a good many types', () => {
  for (const codec of ['none', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4']) {
    assert.ok(files.includes(`codec-${codec}-pages-1.parquet`))
    assert.ok(files.includes(`codec-${codec}-pages-2.parquet`))
  }
  assert.ok(files.filter((name) => name.startsWith('type-')).length >= 30)
})

for (const name of files) {
  test(`${name} gives the interchange that the core is tested with`, async () => {
    const expected = readFileSync(new URL(`${name}.interchange.json`, GOLDEN), 'utf8')
    assert.equal(`${await decodeParquet(read(new URL(name, GOLDEN)), PAGE)}\n`, expected)
  })
}

test('whole numbers beyond 2^53 keep every digit', async () => {
  const text = await decodeParquet(read(new URL('type-int64.parquet', GOLDEN)), PAGE)
  assert.match(text, /\n\[1152921504606846977,null,-9223372036854775808\]$/)
})

test('bytes in the middle of a larger buffer are read from where they are', async () => {
  const whole = read(new URL('codec-zstd-pages-1.parquet', GOLDEN))
  const shifted = new Uint8Array(whole.length + 20)
  shifted.set(whole, 7)
  const inner = shifted.subarray(7, 7 + whole.length)
  assert.equal(await decodeParquet(inner, PAGE), await decodeParquet(whole, PAGE))
})

const bombs = /** @type {const} */ ([
  ['rows.parquet', 'rows'],
  ['characters.parquet', 'characters'],
  ['list.parquet', 'characters'],
  ['cells.parquet', 'cells'],
])

for (const [name, unit] of bombs) {
  test(`${name} stops at the bound of ${unit}, soon`, async () => {
    const started = performance.now()
    const { error } = JSON.parse(await decodeParquet(read(new URL(name, BOMBS)), PAGE))
    assert.equal(error.code, 'over-the-bound')
    assert.equal(error.unit, unit)
    assert.ok(error.found > error.bound)
    assert.ok(performance.now() - started < 5_000)
  })
}

test('every file cut short or with one byte changed gives rows or an error, never a throw', async () => {
  const whole = read(new URL('codec-snappy-pages-1.parquet', GOLDEN))
  const zstd = read(new URL('type-struct.parquet', GOLDEN))
  for (const source of [whole, zstd]) {
    for (let at = 0; at < source.length; at += 3) {
      const changed = source.slice()
      changed[at] ^= 1 << (at % 8)
      for (const bytes of [source.slice(0, at), changed]) {
        const [head, ...lines] = (await decodeParquet(bytes, PAGE)).split('\n').map(parse)
        assert.ok('error' in head ? head.error.code : lines.every(Array.isArray))
      }
    }
  }
})
