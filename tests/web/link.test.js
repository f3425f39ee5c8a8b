/** The fragment: what is read, what is refused in words, and that writing and reading agree. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { formatLink, parseLink } from '../../web/lib/link.js'
import { PayloadError, packRows, unpackRows } from '../../web/lib/payload.js'
import { LEAST, MOST } from '../../web/meaning-state.js'
import { initialState, RANGES } from '../../web/state.js'

const KNOWN = {
  examples: ['ngrams', 'rows', 'rules', 'meaning', 'scripts'],
  ranges: { ...RANGES, cosine: { min: LEAST, max: MOST, optional: false } },
}
const DEFAULTS = initialState().settings

/** @param {string} hash */
function read(hash) {
  const found = parseLink(hash, KNOWN)
  assert.ok(found, `${hash} is a link`)
  return found
}

describe('reading a fragment', () => {
  for (const hash of ['', '#', '#result', '#tab-rows']) {
    it(`takes ${hash || 'nothing'} for no link`, () => assert.equal(parseLink(hash, KNOWN), null))
  }

  it('takes every key that the page knows', () => {
    const { link, notices } = read(
      '#v=1&example=scripts&rung=ngrams&n=8&threshold=20&tokens=characters&l9=1&rule_n=9&llama_min=11&cosine=0.9&fields=question&fields=answer.text&train_fields=body',
    )
    assert.deepEqual(notices, [])
    assert.deepEqual(link, {
      rung: 'ngrams',
      example: 'scripts',
      settings: {
        n: 8,
        threshold: 20,
        tokens: 'characters',
        strip_articles: true,
        rule_n: 9,
        llama_min: 11,
        cosine: 0.9,
      },
      fields: ['question', 'answer.text'],
      trainFields: ['body'],
      rows: null,
    })
  })

  for (const rung of ['rows', 'ngrams', 'rules', 'meaning', 'overview']) {
    it(`opens the rung ${rung}`, () => assert.equal(read(`#v=1&rung=${rung}`).link.rung, rung))
  }

  for (const [hash, word] of [
    ['#v=1&n=4', 'n must be a whole number from 5 to 25'],
    ['#v=1&n=26', 'n must be a whole number from 5 to 25'],
    ['#v=1&n=13.5', '“13.5”'],
    ['#v=1&n=', 'n must be'],
    ['#v=1&n=１３', 'n must be'],
    ['#v=1&threshold=101', 'from 0 to 100'],
    ['#v=1&threshold=-1', 'from 0 to 100'],
    ['#v=1&tokens=words', 'one of loose, strict, characters'],
    ['#v=1&l9=yes', 'one of 0, 1'],
    ['#v=1&rule_n=51', 'from 5 to 50'],
    ['#v=1&cosine=0.69', 'cosine must be a number from 0.70 to 0.99'],
    ['#v=1&cosine=1.00', 'cosine must be'],
    ['#v=1&cosine=0.855', 'two decimals'],
    ['#v=1&cosine=.9', 'cosine must be'],
    ['#v=1&cosine=', 'cosine must be'],
    ['#v=1&cosine=1e-1', 'cosine must be'],
    ['#v=1&llama_min=12', 'one of 10, 11'],
  ]) {
    it(`leaves the default and says so: ${hash}`, () => {
      const { link, notices } = read(hash)
      assert.deepEqual(link.settings, {})
      assert.equal(notices.length, 1)
      assert.ok(notices[0].includes(word) && notices[0].includes('default'), notices[0])
    })
  }

  it('keeps the good ones beside a bad one', () => {
    const { link, notices } = read('#v=1&n=8&threshold=x&tokens=strict')
    assert.deepEqual(link.settings, { n: 8, tokens: 'strict' })
    assert.equal(notices.length, 1)
  })

  it('names an unknown example, rung, key and version', () => {
    assert.match(read('#v=1&example=nope').notices[0], /no example called “nope”; it has ngrams/)
    assert.match(read('#v=1&rung=x').notices[0], /no rung called “x”/)
    assert.match(read('#v=1&nn=4').notices[0], /“nn”/)
    const { link, notices } = read('#v=2&n=8&new=1')
    assert.equal(notices.length, 1)
    assert.match(notices[0], /version “2”/)
    assert.deepEqual(link.settings, { n: 8 })
  })

  it('does not take a name of every object for a setting or an example', () => {
    assert.equal(read('#v=1&example=constructor').link.example, null)
    assert.deepEqual(read('#v=1&l9=toString').link.settings, {})
    assert.deepEqual(read('#v=1&__proto__=1').link.settings, {})
  })

  it('shows at most forty letters of what it refuses', () => {
    const [notice] = read(`#v=1&example=${encodeURIComponent('😀'.repeat(5000))}`).notices
    assert.ok([...notice].length < 160)
    assert.ok(notice.includes('😀'.repeat(40)))
  })

  it('survives broken percent escapes', () => {
    assert.equal(read('#v=1&example=%E0%A4%A').link.example, null)
  })
})

describe('writing a fragment', () => {
  it('writes what differs from the defaults and nothing else', () => {
    assert.equal(formatLink({ settings: DEFAULTS }, DEFAULTS), '#v=1')
    const settings = { ...DEFAULTS, n: 8, strip_articles: true }
    assert.equal(formatLink({ example: 'rows', settings }, DEFAULTS), '#v=1&example=rows&n=8&l9=1')
  })

  it('writes a default that the example itself changes', () => {
    const written = formatLink(
      { example: 'x', settings: DEFAULTS },
      { ...DEFAULTS, n: 8, rule_n: 9 },
    )
    assert.equal(written, '#v=1&example=x&n=13&rule_n=auto')
  })

  for (const settings of [
    { n: 5, threshold: 100, tokens: 'strict' },
    { strip_articles: true, rule_n: 50, llama_min: 11 },
    { n: 25, cosine: 0.85 },
    { cosine: 0.7 },
  ]) {
    it(`is read back as ${JSON.stringify(settings)}`, () => {
      const view = { rung: 'rules', fields: ['a b', 'c&d=e#f', 'é,“x”'], settings }
      const { link, notices } = read(formatLink(/** @type {any} */ (view), DEFAULTS))
      assert.deepEqual(notices, [])
      assert.deepEqual(link.settings, settings)
      assert.deepEqual(link.fields, view.fields)
      assert.equal(link.rung, 'rules')
    })
  }
})

/** @param {string} text */
const bytes = (text) => new TextEncoder().encode(text)

describe('rows inside a link', () => {
  const test = { name: 'é 😀.jsonl', bytes: bytes('{"text": "naïve 😀"}\n'), options: {} }
  const train = {
    name: 'b.csv',
    bytes: new Uint8Array([0, 255, 10, 13]),
    options: { header: true },
  }

  it('come back byte for byte, names and reading options too', async () => {
    const text = await packRows({ test, train, split: null })
    assert.match(text, /^[\w-]+$/)
    assert.deepEqual(await unpackRows(text, 1000), { test, train, split: null })
  })

  it('come back in one-file mode', async () => {
    const split = { column: 'split', test: 'test', train: 'train' }
    const text = await packRows({ test, train: null, split })
    assert.deepEqual(await unpackRows(text, 1000), { test, train: null, split })
  })

  it('take empty files', async () => {
    const empty = { name: 'a', bytes: new Uint8Array(), options: {} }
    const text = await packRows({ test: empty, train: empty, split: null })
    assert.equal((await unpackRows(text, 10)).train?.bytes.length, 0)
  })

  it('are refused in words when cut at any place', async () => {
    const text = await packRows({ test, train, split: null })
    for (let at = 0; at < text.length; at += 1) {
      await assert.rejects(unpackRows(text.slice(0, at), 1000), PayloadError)
    }
  })

  it('are refused in words when they are no such thing', async () => {
    for (const text of ['', '!!', 'AAAA', 'é', toText(deflateRawSync('{"format":2}\n'))]) {
      await assert.rejects(unpackRows(text, 1000), PayloadError)
    }
  })

  it('are refused when a size lies', async () => {
    const head = '{"format":1,"test":{"name":"a","size":9,"options":{}}}\n'
    await assert.rejects(unpackRows(toText(deflateRawSync(`${head}abc`)), 1000), PayloadError)
  })

  it('stop inflating at the bound', async () => {
    const bomb = toText(deflateRawSync(Buffer.alloc(300_000_000)))
    const before = process.memoryUsage().rss
    await assert.rejects(unpackRows(bomb, 2_000_000), /over the bound/)
    assert.ok(process.memoryUsage().rss - before < 100_000_000)
  })
})

/** @param {Buffer} data */
function toText(data) {
  return data.toString('base64url')
}
