/**
 * Texts to unit vectors: the only file that knows onnxruntime and the tokenizer.
 *
 * The model's arithmetic is exact in all that depends on order, so a row gets the same vector
 * alone or in any batch, in every browser, and on the command line. Rows of one batch all have
 * the same number of pieces: there is no padding.
 *
 * @import { Embedder, EmbedderAssets, PieceRows } from './meaning-types.d.ts'
 */

import { Tokenizer } from '@huggingface/tokenizers'
import * as ort from 'onnxruntime-web/wasm'
import { SEARCH_GRAPH } from './search-graph.js'

/** Word pieces the model reads of a text, [CLS] and [SEP] counted. */
export const WINDOW = 256
export const DIMENSION = 384
const BATCH_ROWS = 8
const BATCH_PIECES = 512
const UNKNOWN = '[UNK]'
/** The first look at a text; English has four to five characters a piece. */
const HEAD = 4_096
/** The asset gives the golden vectors to the last bit or two; anything else is broken. */
const LEAST_GOLDEN = 0.9999

/**
 * Set the runtime up; before anything else of this file. It has no option for a module that is
 * compiled already: it is given no bytes, and what compiles them stands in.
 *
 * @param {WebAssembly.Module} module
 */
export function prepareRuntime(module) {
  const instantiate = /** @type {Function} */ (WebAssembly.instantiate)
  /** @param {BufferSource | WebAssembly.Module} source @param {WebAssembly.Imports} imports */
  const standIn = async (source, imports) =>
    ArrayBuffer.isView(source) && source.byteLength === 0
      ? { module, instance: await instantiate(module, imports) }
      : instantiate(source, imports)
  WebAssembly.instantiate = /** @type {any} */ (standIn)
  ort.env.wasm.wasmBinary = new ArrayBuffer(0)
  ort.env.wasm.numThreads = 1
  ort.env.logLevel = 'error'
}

/**
 * Start the model, after `prepareRuntime`, and compare its vectors with the stored ones.
 *
 * @param {EmbedderAssets} assets
 * @returns {Promise<Embedder>}
 */
export async function createEmbedder({ model, tokenizer, config, golden }) {
  const pieces = createPieces(tokenizer, config)
  const session = await ort.InferenceSession.create(new Uint8Array(model))
  /** @param {PieceRows} rows @param {(done: number) => Promise<void> | void} [pulse] */
  const embed = (rows, pulse) => embedRows(session, rows, pulse)
  const embedder = {
    pieces,
    embed,
    version: ort.env.versions.common,
    release: () => session.release(),
  }
  await testGolden(embedder, JSON.parse(golden))
  return embedder
}

/**
 * @param {Embedder} embedder
 * @param {{ texts: string[], vectors: string[] }} golden vectors as base64 of 32-bit floats
 */
async function testGolden({ pieces, embed }, golden) {
  const found = await embed(pieces(golden.texts))
  golden.vectors.forEach((text, row) => {
    const expected = new Float32Array(decodeBase64(text).buffer)
    const vector = found.subarray(row * DIMENSION, (row + 1) * DIMENSION)
    const cosine = vector.reduce((sum, value, at) => sum + value * expected[at], 0)
    if (!(cosine >= LEAST_GOLDEN))
      throw new Error(
        `the model fails its own test: cosine ${cosine.toFixed(6)} on text ${row + 1}`,
      )
  })
}

/** @param {string} text */
export function decodeBase64(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/**
 * Make the function that cuts texts into pieces.
 *
 * @param {string} tokenizerJson
 * @param {string} configJson
 * @returns {(texts: readonly string[]) => PieceRows}
 */
export function createPieces(tokenizerJson, configJson) {
  const tokenizer = new Tokenizer(JSON.parse(tokenizerJson), JSON.parse(configJson))
  const id = (/** @type {string} */ token) => /** @type {number} */ (tokenizer.token_to_id(token))
  const ends = { first: id('[CLS]'), last: id('[SEP]'), unknown: id(UNKNOWN) }
  return (texts) =>
    joinRows(
      texts.map((text) => cutText(tokenizer, mendText(text))),
      ends,
    )
}

/** Han characters beyond the first plane, in the ranges of the Rust tokenizer. */
const FAR_HAN =
  /[\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu

/**
 * Do what the JavaScript tokenizer leaves out of what the Rust one does: a sigma at the end of a
 * word is folded like any other, and far Han characters stand alone. Lone surrogates, which the
 * Rust one cannot take, become U+FFFD for both.
 *
 * @param {string} text
 */
function mendText(text) {
  return text.toWellFormed().replaceAll('\u03a3', '\u03c3').replace(FAR_HAN, ' $& ')
}

/**
 * Tokenize as much of a text as the window can hold, and a little more, to know that it was cut.
 *
 * Normalization and splitting stop at a space, so the pieces before a space do not depend on
 * what follows it.
 *
 * @param {Tokenizer} tokenizer
 * @param {string} text
 * @returns {number[]} ids with both ends; more than the window where the text must be cut
 */
function cutText(tokenizer, text) {
  for (let length = HEAD; length < text.length; length *= 4) {
    const stop = text.lastIndexOf(' ', length)
    if (stop < 1) continue
    const { ids } = tokenizer.encode(text.slice(0, stop))
    if (ids.length > WINDOW) return ids
  }
  return tokenizer.encode(text).ids
}

/**
 * @param {number[][]} rows
 * @param {{ first: number, last: number, unknown: number }} ends
 * @returns {PieceRows}
 */
function joinRows(rows, { last, unknown }) {
  const starts = new Uint32Array(rows.length + 1)
  rows.forEach((row, at) => {
    starts[at + 1] = starts[at] + Math.min(row.length, WINDOW)
  })
  const ids = new Int32Array(starts[rows.length])
  const cut = new Uint8Array(rows.length)
  const readable = new Uint8Array(rows.length)
  rows.forEach((row, at) => {
    ids.set(row.slice(0, WINDOW), starts[at])
    cut[at] = row.length > WINDOW ? 1 : 0
    if (cut[at]) ids[starts[at + 1] - 1] = last
    const body = ids.subarray(starts[at] + 1, starts[at + 1] - 1)
    readable[at] = body.some((piece) => piece !== unknown) ? 1 : 0
  })
  return { ids, starts, cut, readable }
}

/**
 * Group rows into batches of one length, shortest first.
 *
 * @param {Uint32Array} starts
 * @returns {number[][]} row numbers
 */
export function planBatches(starts) {
  /** @type {Map<number, number[]>} */
  const byLength = new Map()
  for (let row = 0; row + 1 < starts.length; row++) {
    const length = starts[row + 1] - starts[row]
    const same = byLength.get(length)
    if (same) same.push(row)
    else byLength.set(length, [row])
  }
  const batches = []
  for (const [length, same] of [...byLength].sort(([a], [b]) => a - b)) {
    const most = Math.max(1, Math.min(BATCH_ROWS, Math.floor(BATCH_PIECES / length)))
    for (let at = 0; at < same.length; at += most) batches.push(same.slice(at, at + most))
  }
  return batches
}

/**
 * @param {ort.InferenceSession} session
 * @param {Pick<PieceRows, 'ids' | 'starts'>} rows
 * @param {(done: number) => Promise<void> | void} [pulse] told after each batch; may throw to stop
 * @returns {Promise<Float32Array>} one unit vector a row, in the order of the rows
 */
async function embedRows(session, { ids, starts }, pulse) {
  const vectors = new Float32Array((starts.length - 1) * DIMENSION)
  let done = 0
  for (const batch of planBatches(starts)) {
    const length = starts[batch[0] + 1] - starts[batch[0]]
    const shape = [batch.length, length]
    const input = new BigInt64Array(batch.length * length)
    batch.forEach((row, at) => {
      for (let piece = 0; piece < length; piece++)
        input[at * length + piece] = BigInt(ids[starts[row] + piece])
    })
    const feeds = {
      input_ids: new ort.Tensor('int64', input, shape),
      attention_mask: new ort.Tensor('int64', new BigInt64Array(input.length).fill(1n), shape),
    }
    const { last_hidden_state: hidden } = await session.run(feeds)
    const states = /** @type {Float32Array} */ (hidden.data)
    batch.forEach((row, at) => {
      poolRow(states.subarray(at * length * DIMENSION), length, vectors, row * DIMENSION)
    })
    hidden.dispose()
    done += batch.length
    await pulse?.(done)
  }
  return vectors
}

/**
 * Average a row's piece vectors in doubles and scale the result to length 1.
 *
 * @param {Float32Array} states
 * @param {number} length
 * @param {Float32Array} out
 * @param {number} start
 */
function poolRow(states, length, out, start) {
  const sums = new Float64Array(DIMENSION)
  for (let piece = 0, at = 0; piece < length; piece++)
    for (let channel = 0; channel < DIMENSION; channel++, at++) sums[channel] += states[at]
  let square = 0
  for (const sum of sums) square += sum * sum
  const norm = Math.sqrt(square)
  for (let channel = 0; channel < DIMENSION; channel++) out[start + channel] = sums[channel] / norm
}

/**
 * Make the matrix product that `similar.js` asks for, after `prepareRuntime`.
 *
 * @returns {Promise<(a: Float32Array, b: Float32Array) => Promise<Float32Array>>}
 */
export async function createMultiply() {
  const session = await ort.InferenceSession.create(decodeBase64(SEARCH_GRAPH))
  /** @param {Float32Array} data */
  const tensor = (data) => new ort.Tensor('float32', data, [data.length / DIMENSION, DIMENSION])
  return async (a, b) => {
    const { scores } = await session.run({ a: tensor(a), b: tensor(b) })
    return /** @type {Float32Array} */ (scores.data)
  }
}
