/** The page's embedder on the committed model, under Node's WebAssembly. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { env, pipeline } from '@huggingface/transformers'
import {
  createEmbedder,
  createPieces,
  DIMENSION,
  decodeBase64,
  planBatches,
  prepareRuntime,
  WINDOW,
} from '../../web/worker/embedder.js'

const ASSET = new URL('../../assets/models/all-MiniLM-L6-v2/', import.meta.url)
const WASM = '../../node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm'

/** @param {string} name */
const read = (name) => readFileSync(new URL(name, ASSET))
const tokenizer = read('tokenizer.json').toString()
const config = read('tokenizer_config.json').toString()
const golden = read('golden.json').toString()
const pieces = createPieces(tokenizer, config)

const TEXTS = [
  'Which bird cannot fly?',
  'A ferry makes 6 trips a day with 85 cars each. How many cars cross in a week?',
  'Open the window.',
  'Name the author of the oldest cookbook in the library.',
  'Shut the window, please.',
  'The second reading was higher than the first, and nobody could say why.',
  'Which bird can not fly?',
  'It rained.',
  'Who keeps the key to the north gate?',
  'word '.repeat(300),
]

/** @type {import('../../web/worker/meaning-types.d.ts').Embedder} */
let embedder

before(async () => {
  prepareRuntime(new WebAssembly.Module(readFileSync(new URL(WASM, import.meta.url))))
  const model = read('onnx/model_quantized.onnx')
  embedder = await createEmbedder({ model, tokenizer, config, golden })
})

/** @param {string[]} texts */
const embed = (texts) => embedder.embed(pieces(texts))

/** @param {Float32Array} vectors @param {number} row */
const rowOf = (vectors, row) => vectors.slice(row * DIMENSION, (row + 1) * DIMENSION)

test('a vector is the same bits alone, in any batch and in any order', async () => {
  const together = await embed(TEXTS)
  const backwards = await embed(TEXTS.toReversed())
  const repeated = await embed(TEXTS.flatMap((text) => [text, text, text]))
  for (const [row, text] of TEXTS.entries()) {
    const expected = rowOf(await embed([text]), 0)
    assert.deepEqual(rowOf(together, row), expected)
    assert.deepEqual(rowOf(backwards, TEXTS.length - 1 - row), expected)
    for (const copy of [0, 1, 2]) assert.deepEqual(rowOf(repeated, row * 3 + copy), expected)
  }
})

test('vectors have length 1 and like texts are close', async () => {
  const vectors = await embed(TEXTS)
  const cosine = (/** @type {number} */ a, /** @type {number} */ b) =>
    rowOf(vectors, a).reduce((sum, value, at) => sum + value * rowOf(vectors, b)[at], 0)
  for (let row = 0; row < TEXTS.length; row++) assert.ok(Math.abs(cosine(row, row) - 1) < 1e-6)
  assert.ok(cosine(0, 6) > 0.9)
  assert.ok(cosine(0, 1) < 0.4)
})

test('transformers.js loads the asset as it is and gives the same vectors, padded or not', async () => {
  env.allowRemoteModels = false
  env.localModelPath = new URL('../', ASSET).pathname
  const extract = await pipeline('feature-extraction', 'all-MiniLM-L6-v2', { dtype: 'q8' })
  const texts = TEXTS.filter((text) => text.length < 1000) // it cuts without the closing [SEP]
  const ours = await embed(texts)
  const padded = await extract(texts, { pooling: 'mean', normalize: true })
  for (const [row, text] of texts.entries()) {
    const alone = await extract(text, { pooling: 'mean', normalize: true })
    for (let at = 0; at < DIMENSION; at++) {
      const expected = ours[row * DIMENSION + at]
      assert.ok(Math.abs(padded.data[row * DIMENSION + at] - expected) < 1e-4)
      assert.ok(Math.abs(alone.data[at] - expected) < 1e-4)
    }
  }
  await extract.dispose()
})

test('a text over the window is cut to 256 pieces, and said to be', () => {
  const { starts, cut, ids } = pieces(['word '.repeat(254), 'word '.repeat(255), ''])
  assert.deepEqual([...starts], [0, WINDOW, 2 * WINDOW, 2 * WINDOW + 2])
  assert.deepEqual([...cut], [0, 1, 0])
  assert.equal(ids[2 * WINDOW - 1], ids[WINDOW - 1]) // [SEP] closes the cut row too
})

test('looking at the head of a long text alone changes nothing', () => {
  const words = ['plain', 'naïve', 'x'.repeat(90), '東京', '1,234.50', '—', 'e\u0301a']
  let seed = 7
  function next() {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed
  }
  for (let turn = 0; turn < 20; turn++) {
    const text = Array.from({ length: 4000 }, () => words[(next() >> 8) % words.length]).join(' ')
    const short = pieces([text])
    const spaced = pieces([`${text.slice(0, 3000)} ${' '.repeat(40_000)}${text.slice(3000)}`])
    assert.equal(short.cut[0], 1)
    assert.deepEqual(short.ids.slice(0, 200), spaced.ids.slice(0, 200))
  }
})

test('blank texts and scripts the model does not have are not readable', () => {
  const { readable } = pieces(['', ' \n\t', '\u200b', '\u{1f600}', '\u{1f600} smile', 'a', '?'])
  assert.deepEqual([...readable], [0, 0, 0, 0, 1, 1, 1])
})

test('batches hold rows of one length, at most 8 and at most 512 pieces', () => {
  const lengths = [14, 256, 14, 3, ...Array(20).fill(14), 256, 256, 100, 100, 100, 100, 100, 100]
  const starts = new Uint32Array(lengths.length + 1)
  lengths.forEach((length, row) => {
    starts[row + 1] = starts[row] + length
  })
  const batches = planBatches(starts)
  for (const batch of batches) {
    assert.equal(new Set(batch.map((row) => lengths[row])).size, 1)
    assert.ok(batch.length <= 8 && batch.length * lengths[batch[0]] <= 512)
  }
  assert.deepEqual(
    batches.flat().toSorted((a, b) => a - b),
    lengths.map((_, row) => row),
  )
})

test('a model that gives other vectors is refused', async () => {
  const broken = JSON.parse(golden)
  broken.vectors.reverse()
  const model = read('onnx/model_quantized.onnx')
  const assets = { model, tokenizer, config, golden: JSON.stringify(broken) }
  await assert.rejects(createEmbedder(assets), /fails its own test/)
})

test('progress counts rows and a pulse that throws stops the work', async () => {
  /** @type {number[]} */
  const seen = []
  await embedder.embed(pieces(TEXTS), (done) => void seen.push(done))
  assert.equal(seen.at(-1), TEXTS.length)
  const stop = () => {
    throw new Error('stopped')
  }
  await assert.rejects(embedder.embed(pieces(TEXTS), stop), /stopped/)
})

test('base64 decodes to bytes', () => {
  assert.deepEqual([...decodeBase64('AP8Q')], [0, 255, 16])
})
