/**
 * What our embedding is held against: transformers.js as a page would use it, from this host alone,
 * with the same model files, q8, one thread, eight rows at a time.
 */

import { env, pipeline } from '@huggingface/transformers'

const BATCH = 8

env.allowRemoteModels = false
env.allowLocalModels = true
env.localModelPath = '/dist/models/'
env.useBrowserCache = false
env.backends.onnx.wasm.numThreads = 1
env.backends.onnx.wasm.wasmPaths = '/ort/onnxruntime-web/dist/'

const options = { dtype: 'q8', device: 'wasm' }
const extract = await pipeline('feature-extraction', 'all-MiniLM-L6-v2', options)

/** @param {string} url of JSONL with a column `text` @param {number} rows how many of them */
globalThis.measure = async (url, rows) => {
  const lines = (await (await fetch(url)).text()).trim().split('\n').slice(0, rows)
  const texts = lines.map((line) => JSON.parse(line).text)
  const began = performance.now()
  const vectors = []
  for (let at = 0; at < texts.length; at += BATCH) {
    const some = texts.slice(at, at + BATCH)
    const { data, dims } = await extract(some, { pooling: 'mean', normalize: true })
    vectors.push(data.slice(0, dims[1]))
  }
  const seconds = (performance.now() - began) / 1000
  return { seconds, rows: texts.length, version: env.version, first: [...vectors[0]] }
}
