/**
 * Rows per second of two model files in onnxruntime-web, one thread, in turn in one run, as a
 * Markdown table. Times are of the processor, so that other programs show less. Each file is
 * loaded twice, in the order ours, theirs, theirs, ours: where a session lies in memory makes up
 * to 2% of its speed.
 *
 * node model_speed.mjs OURS PER_TENSOR
 */

import { readFileSync } from 'node:fs'
import * as ort from 'onnxruntime-web/wasm'

const WASM = '../../node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm'
const RUNS = 21
const CASES = [
  { rows: 64, pieces: 14, batch: 8 },
  { rows: 64, pieces: 14, batch: 1 },
  { rows: 16, pieces: 60, batch: 8 },
]

ort.env.wasm.wasmBinary = readFileSync(new URL(WASM, import.meta.url)).buffer
ort.env.wasm.numThreads = 1
ort.env.logLevel = 'error'

const [ours, theirs] = process.argv.slice(2)
const sessions = []
for (const path of [ours, theirs, theirs, ours])
  sessions.push(await ort.InferenceSession.create(readFileSync(path)))

/** Rows per second of one pass over the rows of a case. */
async function pass(session, { rows, pieces, batch }) {
  const shape = [batch, pieces]
  const start = process.cpuUsage().user
  for (let row = 0; row < rows; row += batch) {
    const ids = BigInt64Array.from({ length: batch * pieces }, (_, at) =>
      BigInt(1000 + (((row * pieces + at) * 7919) % 20000)),
    )
    const mask = new BigInt64Array(ids.length).fill(1n)
    await session.run({
      input_ids: new ort.Tensor('int64', ids, shape),
      attention_mask: new ort.Tensor('int64', mask, shape),
    })
  }
  return (rows * 1e6) / (process.cpuUsage().user - start)
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

console.log('| rows | pieces | batch | this asset, rows/s | per-tensor dynamic, rows/s | ratio |')
console.log('|---|---|---|---|---|---|')
for (const one of CASES) {
  const speeds = sessions.map(() => [])
  for (const session of sessions) await pass(session, one)
  for (let turn = 0; turn < RUNS; turn++)
    for (const [at, session] of sessions.entries()) speeds[at].push(await pass(session, one))
  const mine = median([...speeds[0], ...speeds[3]])
  const other = median([...speeds[1], ...speeds[2]])
  const cells = [one.rows, one.pieces, one.batch, mine.toFixed(0), other.toFixed(0)]
  console.log(`| ${cells.join(' | ')} | ${(mine / other).toFixed(3)} |`)
}
