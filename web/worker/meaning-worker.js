/**
 * Entry of a meaning worker: one message is one call, as `rpc.js` sends them. Long calls tell how
 * far they are and let messages in between their steps, so that they can be stopped.
 *
 * Methods: `hold` its lifeline, `boot` {wasm, model?, tokenizer?, config?, golden?}, `pieces` {texts},
 * `embed` {ids, starts}, `similar` {vectors, threshold, sizes, most}, `lowest` {vectors, groups},
 * `nearest` {test, train, skip}. A worker booted without a model can still search.
 *
 * @import { Request, CancelRequest } from '../types.d.ts'
 * @import { Embedder, EmbedderAssets, Multiply, PieceRows } from './meaning-types.d.ts'
 */

import './seal.js'
import { holdLifeline } from '../lib/lifeline.js'
import { createEmbedder, createMultiply, prepareRuntime } from './embedder.js'
import { findLowest, findNearest, findSimilar } from './similar.js'

/** @type {Embedder | null} */
let embedder = null
/** @type {Multiply | null} */
let product = null
/** @type {Set<number>} calls that are under way or wait, by id */
const open = new Set()
/** @type {Set<number>} those of them that are to be dropped */
const dropped = new Set()
/** @type {Promise<unknown>} */
let queue = Promise.resolve()

self.addEventListener('message', (event) => {
  const data = /** @type {Request | CancelRequest} */ (/** @type {MessageEvent} */ (event).data)
  if ('cancel' in data) {
    if (open.has(data.cancel)) dropped.add(data.cancel)
    return
  }
  open.add(data.id)
  queue = queue.then(() => answer(data))
})

/** @param {Request} request */
async function answer({ id, method, params }) {
  try {
    await pulse(id, 0, 0)
    const result = await methods[method](params, id)
    self.postMessage({ id, result }, { transfer: buffersOf(result) })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof Stopped ? 'cancelled' : 'model-failed'
    const details = error instanceof Error ? error.stack : undefined
    self.postMessage({ id, error: { code, message, details } })
  } finally {
    open.delete(id)
    dropped.delete(id)
  }
}

class Stopped extends Error {
  constructor() {
    super('Stopped before it was finished.')
  }
}

/** @type {Record<string, (params: any, id: number) => unknown>} */
const methods = {
  /** @param {string} lifeline */
  hold: (lifeline) => holdLifeline(lifeline),
  boot,
  /** @param {{ texts: string[] }} params */
  pieces: ({ texts }) => needEmbedder().pieces(texts),
  /** @param {PieceRows} rows @param {number} id */
  embed: (rows, id) =>
    needEmbedder().embed(rows, (done) => pulse(id, done, rows.starts.length - 1)),
  /** @param {{ vectors: Float32Array, threshold: number, sizes: Uint32Array, most: number }} params @param {number} id */
  similar: ({ vectors, threshold, sizes, most }, id) =>
    findSimilar(vectors, { threshold, sizes, most, ...searching(id) }),
  /** @param {{ vectors: Float32Array, groups: Uint32Array[] }} params @param {number} id */
  lowest: ({ vectors, groups }, id) => findLowest(vectors, groups, searching(id)),
  /** @param {{ test: Float32Array, train: Float32Array, skip: Int32Array }} params @param {number} id */
  nearest: ({ test, train, skip }, id) => findNearest(test, train, { skip, ...searching(id) }),
}

/** @param {{ wasm: WebAssembly.Module } & Partial<EmbedderAssets>} assets */
async function boot({ wasm, model, tokenizer = '', config = '', golden = '' }) {
  prepareRuntime(wasm)
  product = await createMultiply()
  embedder = model ? await createEmbedder({ model, tokenizer, config, golden }) : null
  return { runtime: embedder?.version ?? null }
}

function needEmbedder() {
  if (!embedder) throw new Error('this worker was started without the model')
  return embedder
}

/** @param {number} id */
function searching(id) {
  if (!product) throw new Error('this worker was not started')
  /** @param {number} done @param {number} total */
  const tell = (done, total) => pulse(id, done, total)
  return { multiply: product, pulse: tell }
}

const channel = new MessageChannel()
/** @type {(() => void) | null} */
let resume = null
channel.port1.onmessage = () => resume?.()

/**
 * Tell how far a call is, let the messages that have arrived be handled, and stop if one says so.
 *
 * @param {number} id
 * @param {number} done
 * @param {number} total
 */
async function pulse(id, done, total) {
  if (total) self.postMessage({ id, progress: { phase: 'meaning', done, total } })
  await new Promise((resolve) => {
    resume = () => resolve(undefined)
    channel.port2.postMessage(null)
  })
  if (dropped.has(id)) throw new Stopped()
}

/**
 * @param {unknown} result
 * @returns {Transferable[]}
 */
function buffersOf(result) {
  const parts = ArrayBuffer.isView(result) ? [result] : Object.values(Object(result))
  return parts.filter((part) => ArrayBuffer.isView(part)).map((part) => part.buffer)
}
