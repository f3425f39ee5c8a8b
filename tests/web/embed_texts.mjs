/**
 * Cut and embed texts as the page does: {texts, embed} as JSON in, {ids, cut, readable, vectors}
 * out. Run by `tests/test_model.py`, which compares with the command line's own.
 */

import { readFileSync } from 'node:fs'
import {
  createEmbedder,
  createPieces,
  DIMENSION,
  prepareRuntime,
} from '../../web/worker/embedder.js'

const ASSET = new URL('../../assets/models/all-MiniLM-L6-v2/', import.meta.url)
const WASM = '../../node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm'

/** @param {string} name */
const read = (name) => readFileSync(new URL(name, ASSET))

const { texts, embed } = JSON.parse(readFileSync(0, 'utf8'))
const tokenizer = read('tokenizer.json').toString()
const config = read('tokenizer_config.json').toString()
const { ids, starts, cut, readable } = createPieces(tokenizer, config)(texts)
const rows = texts.map((/** @type {string} */ _, /** @type {number} */ row) => [
  ...ids.subarray(starts[row], starts[row + 1]),
])
/** @type {number[][]} */
let vectors = []
if (embed) {
  prepareRuntime(new WebAssembly.Module(readFileSync(new URL(WASM, import.meta.url))))
  const golden = read('golden.json').toString()
  const model = read('onnx/model_quantized.onnx')
  const embedder = await createEmbedder({ model, tokenizer, config, golden })
  const flat = await embedder.embed({ ids, starts })
  vectors = rows.map((/** @type {number[]} */ _, /** @type {number} */ row) => [
    ...flat.subarray(row * DIMENSION, (row + 1) * DIMENSION),
  ])
}
process.stdout.write(JSON.stringify({ ids: rows, cut: [...cut], readable: [...readable], vectors }))
