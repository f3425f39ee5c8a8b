/**
 * The product's own meaning worker over made-up vectors, so that a search of 20,000 rows can be timed
 * without embedding 20,000 texts first. The calls are those of `web/meaning-pool.js`.
 */

const DIMENSION = 384
const FLOOR = 0.69
const MOST = 1_000_000
const GROUP = 4 // rows of which each is close to the others

const [script, wasm] = await Promise.all([
  fetch('/dist/meaning-worker.js').then((response) => response.arrayBuffer()),
  WebAssembly.compileStreaming(fetch('/dist/ort/ort-wasm-simd-threaded.wasm')),
])
const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })))
let lastId = 0

/** @param {string} method @param {unknown} params */
function call(method, params) {
  lastId += 1
  const id = lastId
  let told = 0
  return new Promise((resolve, reject) => {
    worker.addEventListener('message', function listen({ data }) {
      if (data.id !== id) return
      if ('progress' in data) {
        told += 1
        return
      }
      worker.removeEventListener('message', listen)
      if (data.error) reject(new Error(data.error.message))
      else resolve({ result: data.result, told })
    })
    worker.postMessage({ id, method, params })
  })
}

await call('boot', { wasm })

/** Random directions, each with three rows near it. */
function makeVectors(rows) {
  let seed = 1
  const next = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed / 2 ** 31 - 1
  }
  const vectors = new Float32Array(rows * DIMENSION)
  const centre = new Float32Array(DIMENSION)
  for (let row = 0; row < rows; row += 1) {
    if (row % GROUP === 0) for (let at = 0; at < DIMENSION; at += 1) centre[at] = next()
    const own = vectors.subarray(row * DIMENSION, (row + 1) * DIMENSION)
    for (let at = 0; at < DIMENSION; at += 1) own[at] = centre[at] + 0.3 * next()
    const length = Math.hypot(...own)
    for (let at = 0; at < DIMENSION; at += 1) own[at] /= length
  }
  return vectors
}

/** @param {number} rows */
globalThis.measure = async (rows) => {
  const vectors = makeVectors(rows)
  const sizes = new Uint32Array(rows).fill(1)
  const began = performance.now()
  const { result, told } = await call('similar', { vectors, threshold: FLOOR, sizes, most: MOST })
  const seconds = (performance.now() - began) / 1000
  return { seconds, pairs: result.total, expected: (rows / GROUP) * ((GROUP * (GROUP - 1)) / 2), told }
}
