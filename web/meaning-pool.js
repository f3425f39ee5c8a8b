/**
 * The workers of rung 6: started from a blob, each with one session of the model on one thread.
 *
 * The model's files are fetched at the first start, checked, and kept; a later start asks the network
 * for nothing. Vectors stay on this side, flat, DIMENSION floats a row.
 *
 * @import { createLoader } from './assets.js'
 * @import { MeaningEstimate } from './meaning-state.js'
 * @import { PieceRows, NearestRows, SimilarPairs } from './worker/meaning-types.d.ts'
 */

import { watchWorker } from './lib/lifeline.js'
import { scriptAddress } from './lib/trusted.js'
import { cancelled, createClient, RemoteError } from './rpc.js'

export const DIMENSION = 384
const MOST_WORKERS = 4
const TEXTS_AT_ONCE = 500 // cut into pieces in one message
const ROWS_AT_ONCE = 64 // embedded in one message
const FEWEST_ROWS = 8 // a batch of the model
const ENDED =
  'A worker of the meaning check ended unexpectedly; the browser may be short of memory. Nothing half done was kept.'
const MODEL = 'models/all-MiniLM-L6-v2/'
/** @type {Record<keyof Parts, string>} */
export const MODEL_FILES = {
  script: 'meaning-worker.js',
  wasm: 'ort/ort-wasm-simd-threaded.wasm',
  model: `${MODEL}onnx/model_quantized.onnx`,
  tokenizer: `${MODEL}tokenizer.json`,
  config: `${MODEL}tokenizer_config.json`,
  golden: `${MODEL}golden.json`,
}

/** @typedef {{ script: Blob, wasm: WebAssembly.Module, model: Blob, tokenizer: Blob, config: Blob, golden: Blob }} Parts */
/** @typedef {{ call(method: string, params: unknown, options?: any): Promise<any>, end(): void }} Hand */
/** @typedef {Pick<ReturnType<typeof createLoader>, 'load' | 'loadCompiled'>} Loader */
/** @typedef {Loader & { sha256(path: string): string, bytes: number, inside: boolean }} ModelFiles */
/** @typedef {(phase: string, done: number, total: number) => void} Tell */

/**
 * @param {Loader} loader of the build's files, checked
 */
export function createPool(loader) {
  let fetching = new AbortController()
  /** @type {Promise<Parts> | null} */
  let parts = null
  let fetched = false
  /** @type {Promise<Hand>[]} */
  let hands = []

  /** Fetch what is not here yet. A failure is forgotten, so that another try can be made. */
  function fetchParts() {
    if (parts) return parts
    const { signal } = fetching
    const asked = fetchAll(loader, signal).catch((error) => {
      if (parts === asked) parts = null
      throw error
    })
    parts = asked
    return asked
  }

  /**
   * Workers that are ready; those that run already are taken again.
   *
   * @param {number} most
   * @param {() => void} [onFetched] once all files are here
   */
  async function start(most, onFetched) {
    const kept = await fetchParts()
    fetched = true
    onFetched?.()
    const count = Math.min(most, poolSize())
    while (hands.length < count) {
      const hand = startHand(kept, () => {
        hands = hands.filter((each) => each !== hand)
      })
      hands.push(hand)
    }
    try {
      return await Promise.all(hands.slice(0, count))
    } catch (error) {
      stop()
      throw error
    }
  }

  /** One worker is enough for a threshold; the others give their memory back. */
  function rest() {
    const extra = hands.slice(1)
    hands = hands.slice(0, 1)
    for (const hand of extra) hand.then(({ end }) => end()).catch(() => {}) // told where it was awaited
  }

  /** End all workers. The model's files stay once they are all here. */
  function stop() {
    if (!fetched) {
      fetching.abort()
      fetching = new AbortController()
      parts = null
    }
    const old = hands
    hands = []
    for (const hand of old) hand.then(({ end }) => end()).catch(() => {}) // told where it was awaited
  }

  return { start, rest, stop }
}

/** How many workers this machine gets at most. */
export function poolSize() {
  return Math.max(1, Math.min(MOST_WORKERS, navigator.hardwareConcurrency || 1))
}

/**
 * All at once. The runtime is compiled while it arrives, once for all workers; the browser keeps
 * what it compiled for the next visit.
 *
 * @param {Loader} loader
 * @param {AbortSignal} signal
 * @returns {Promise<Parts>}
 */
async function fetchAll({ load, loadCompiled }, signal) {
  /** @param {keyof Parts} name */
  const part = async (name) => {
    if (name === 'wasm') return loadCompiled(MODEL_FILES.wasm, { signal }).module
    const type = name === 'script' ? 'text/javascript' : ''
    return new Blob([await load(MODEL_FILES[name], { signal })], { type })
  }
  const names = /** @type {(keyof Parts)[]} */ (Object.keys(MODEL_FILES))
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await part(name)])))
}

/**
 * @param {Parts} parts
 * @param {() => void} onGone it ended by itself
 * @returns {Promise<Hand>}
 */
async function startHand({ script, wasm, model, tokenizer, config, golden }, onGone) {
  const address = URL.createObjectURL(script)
  const worker = new Worker(scriptAddress(address), { name: 'leakladder-meaning' })
  const client = createClient(worker)
  const watch = new AbortController()
  /** @param {Error} reason */
  const close = (reason) => {
    watch.abort()
    worker.terminate()
    client.close(reason)
  }
  const end = () => close(cancelled())
  const bury = () => {
    close(new RemoteError({ code: 'worker-lost', message: ENDED }))
    onGone()
  }
  worker.addEventListener('error', bury)
  try {
    await watchWorker(client, watch.signal, bury)
    const bytes = await model.arrayBuffer()
    const texts = {
      tokenizer: await tokenizer.text(),
      config: await config.text(),
      golden: await golden.text(),
    }
    await client.call('boot', { wasm, model: bytes, ...texts }, { transfer: [bytes] })
    return { call: client.call, end }
  } catch (error) {
    end()
    throw error
  } finally {
    URL.revokeObjectURL(address)
  }
}

/**
 * Texts as rows of word pieces, and which of them are the same to the model.
 *
 * @param {Hand[]} hands
 * @param {string[]} texts
 * @param {{ signal: AbortSignal, tell: Tell }} options
 */
export async function cutTexts(hands, texts, { signal, tell }) {
  /** @type {Map<string, number>} */
  const nodes = new Map()
  /** @type {Int32Array[]} pieces of each node */
  const pieces = []
  const nodeOf = new Int32Array(texts.length).fill(-1)
  const cut = new Uint8Array(texts.length)
  const size = Math.min(TEXTS_AT_ONCE, Math.ceil(texts.length / hands.length))
  let done = 0
  /** @type {PieceRows[]} */
  const made = []
  await shareOut(
    hands,
    chunks(texts, () => size),
    async (hand, part, at) => {
      made[at] = await hand.call('pieces', { texts: part }, { signal })
      done += part.length
      tell('Reading words', done, texts.length)
    },
  )
  for (const [at, found] of made.entries()) {
    const first = at * size
    cut.set(found.cut, first)
    for (let row = 0; row < found.cut.length; row += 1) {
      if (!found.readable[row]) continue
      const ids = found.ids.slice(found.starts[row], found.starts[row + 1])
      const key = ids.join(' ')
      const node = nodes.get(key) ?? nodes.size
      if (node === nodes.size) {
        nodes.set(key, node)
        pieces.push(ids)
      }
      nodeOf[first + row] = node
    }
  }
  return { nodeOf, pieces, cut }
}

/**
 * One vector a node, spread over the workers: the longest rows first, so that none ends late.
 *
 * @param {Hand[]} hands
 * @param {Int32Array[]} pieces
 * @param {{ signal: AbortSignal, tell: Tell, onFirst?: (measured: MeaningEstimate & { speed: number }) => Promise<void> }} options
 *   `onFirst` is told the speed of all workers together and how long the other rows will take, once
 *   some rows of every length are done, and may throw; not called where those are half of all
 */
export async function embedNodes(hands, pieces, { signal, tell, onFirst }) {
  const vectors = new Float32Array(pieces.length * DIMENSION)
  const order = pieces.map((_, node) => node).sort((a, b) => pieces[b].length - pieces[a].length)
  const trial = ROWS_AT_ONCE * hands.length
  const first = onFirst && order.length > 2 * trial ? spread(order, trial) : []
  const early = new Set(first)
  const rest = order.filter((node) => !early.has(node))
  let done = 0
  if (onFirst && first.length > 0) {
    const began = performance.now()
    await Promise.all(
      hands.map((hand, place) =>
        embedPart(
          hand,
          first.filter((_, at) => at % hands.length === place),
        ),
      ),
    )
    const speed = (weigh(first) * 1000) / (performance.now() - began)
    const seconds = weigh(rest) / speed
    await onFirst({ speed, seconds, measured: first.length, rows: pieces.length })
  }
  /** @param {number} left */
  const fair = (left) => {
    const rows = Math.ceil(left / (2 * hands.length * FEWEST_ROWS)) * FEWEST_ROWS
    return Math.min(rows, ROWS_AT_ONCE)
  }
  await shareOut(hands, chunks(rest, fair), embedPart) // small parts at the end: none ends late
  return vectors

  /** @param {number[]} nodes */
  function weigh(nodes) {
    return nodes.reduce((sum, node) => sum + pieces[node].length, 0)
  }

  /**
   * @param {Hand} hand
   * @param {number[]} nodes
   */
  async function embedPart(hand, nodes) {
    const starts = new Uint32Array(nodes.length + 1)
    nodes.forEach((node, at) => {
      starts[at + 1] = starts[at] + pieces[node].length
    })
    const ids = new Int32Array(starts[nodes.length])
    nodes.forEach((node, at) => {
      ids.set(pieces[node], starts[at])
    })
    /** @type {Float32Array} */
    const found = await hand.call('embed', { ids, starts }, { signal })
    nodes.forEach((node, at) => {
      vectors.set(found.subarray(at * DIMENSION, (at + 1) * DIMENSION), node * DIMENSION)
    })
    done += nodes.length
    tell('Embedding', done, pieces.length)
  }
}

/**
 * @param {number[]} order
 * @param {number} count at most as many as there are
 */
function spread(order, count) {
  return Array.from({ length: count }, (_, at) => order[Math.floor((at * order.length) / count)])
}

/**
 * @template T
 * @param {T[]} values
 * @param {(left: number) => number} sizeOf the next part, where so many values are left
 */
function chunks(values, sizeOf) {
  const made = []
  for (let at = 0, size = 0; at < values.length; at += size) {
    size = sizeOf(values.length - at)
    made.push(values.slice(at, at + size))
  }
  return made
}

/**
 * Whoever has finished a part takes the next one.
 *
 * @template T
 * @param {Hand[]} hands
 * @param {T[]} parts
 * @param {(hand: Hand, part: T, at: number) => Promise<void>} work
 */
async function shareOut(hands, parts, work) {
  const queue = parts.entries()
  await Promise.all(
    hands.map(async (hand) => {
      for (const [at, part] of queue) await work(hand, part, at)
    }),
  )
}

/**
 * @param {Float32Array} vectors
 * @param {number[]} nodes
 */
export function gather(vectors, nodes) {
  const found = new Float32Array(nodes.length * DIMENSION)
  nodes.forEach((node, at) => {
    found.set(vectors.subarray(node * DIMENSION, (node + 1) * DIMENSION), at * DIMENSION)
  })
  return found
}

/**
 * @param {Hand} hand
 * @param {{ vectors: Float32Array, threshold: number, sizes: Uint32Array, most: number }} params
 * @param {{ signal: AbortSignal, tell: Tell }} options
 * @returns {Promise<SimilarPairs>}
 */
export function findSimilar(hand, params, { signal, tell }) {
  /** @param {{ done: number, total: number }} progress */
  const onProgress = ({ done, total }) => tell('Comparing', done, total)
  return hand.call('similar', params, { signal, onProgress })
}

/**
 * The nearest training node of each test node, the test side spread over the workers.
 *
 * @param {Hand[]} hands
 * @param {{ test: Float32Array, train: Float32Array, skip: Int32Array }} sides `skip` is, per test
 *   node, the training node that it is not held against, or -1
 * @param {{ signal: AbortSignal, tell: Tell }} options
 * @returns {Promise<NearestRows>}
 */
export async function findNearest(hands, { test, train, skip }, { signal, tell }) {
  const rows = test.length / DIMENSION
  const share = Math.max(1, Math.ceil(rows / hands.length))
  const at = new Int32Array(rows)
  const cosine = new Float64Array(rows)
  const shares = hands.map(() => ({ done: 0, total: 0 }))
  await Promise.all(
    hands.map(async (hand, place) => {
      const first = place * share
      if (first >= rows) return
      const stop = Math.min(rows, first + share)
      const part = {
        test: test.slice(first * DIMENSION, stop * DIMENSION),
        train,
        skip: skip.slice(first, stop),
      }
      /** @param {{ done: number, total: number }} progress */
      const onProgress = (progress) => {
        shares[place] = progress
        const sum = (/** @type {'done' | 'total'} */ name) =>
          shares.reduce((all, each) => all + each[name], 0)
        tell('Comparing', sum('done'), sum('total'))
      }
      /** @type {NearestRows} */
      const found = await hand.call('nearest', part, { signal, onProgress })
      at.set(found.at, first)
      cosine.set(found.cosine, first)
    }),
  )
  return { at, cosine }
}
