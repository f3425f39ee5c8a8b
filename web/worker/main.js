/**
 * Worker entry: one message is one call. Long calls are stepped, and between two steps other messages
 * come in, so that a long check can be stopped and short questions are answered meanwhile.
 *
 * @import { BootAssets, Reply, Request, CancelRequest, WireError } from '../types.d.ts'
 * @import { ParquetBounds } from './parquet-types.d.ts'
 * @import { Bridge } from './python.js'
 */

import './seal.js'
import { holdLifeline } from '../lib/lifeline.js'
import { decodeParquet } from './parquet.js'
import { BrokenPython, LOST, startPython, takeSnapshot } from './python.js'

const STEP_MS = 40
const STEPPED = new Set([
  'load',
  'run',
  'clean',
  'write',
  'meaning_take',
  'meaning_match',
  'meaning_back',
  'meaning_groups_steps',
  'meaning_view_steps',
])

/** @type {Bridge | null} */
let python = null
/** @type {PromiseWithResolvers<WebAssembly.Module>} may come before all else or after it */
const interpreter = Promise.withResolvers()
/** @type {ArrayBuffer | null} may come late, or never */
let bytecode = null
/** @type {ParquetBounds} */
let bounds = { rows: 0, unpacked: 0 }
/** @typedef {{ request: Request, running: boolean, dropped: boolean }} Job */

/** @type {Promise<void>} */
let queue = Promise.resolve()
/** @type {Map<number, Job>} long calls that wait or run, by id */
const jobs = new Map()

self.addEventListener('message', (event) => {
  const { data } = /** @type {MessageEvent} */ (event)
  if ('cancel' in data) drop(data)
  else receive(data)
})

/**
 * A job that waits is answered at once; one that runs, after its step.
 *
 * @param {CancelRequest} message
 */
function drop({ cancel }) {
  const job = jobs.get(cancel)
  if (!job) return
  job.dropped = true
  if (!job.running) settle(cancel, Promise.reject(stopped()))
}

/** @param {Request} request */
function receive(request) {
  const { id, method, params } = request
  if (method === 'hold') settle(id, holdLifeline(String(params)))
  else if (method === 'boot') settle(id, boot(request))
  else if (method === 'snapshot') settle(id, snapshot(/** @type {BootAssets} */ (params)))
  else if (method === 'interpreter') settle(id, takeInterpreter(params))
  else if (method === 'bytecode') settle(id, takeBytecode(params))
  else if (STEPPED.has(method)) enqueue(request)
  else settle(id, answer(request))
}

/** @param {Request} request */
function enqueue(request) {
  /** @type {Job} */
  const job = { request, running: false, dropped: false }
  jobs.set(request.id, job)
  queue = queue.then(() => take(job))
}

/** @param {Job} job */
async function take(job) {
  if (!job.dropped) {
    job.running = true
    await settle(job.request.id, runStepped(job))
  }
  jobs.delete(job.request.id)
}

/**
 * @param {number} id
 * @param {Promise<unknown>} outcome
 */
async function settle(id, outcome) {
  try {
    const result = await outcome
    const transfer = result instanceof Uint8Array ? [result.buffer] : []
    self.postMessage({ id, result }, { transfer })
  } catch (error) {
    const wire = wireError(error)
    reply({ id, error: wire })
    if (wire.code === LOST) self.close() // its memory never shrinks, and it may be in pieces
  }
}

/** @param {Reply} message */
function reply(message) {
  self.postMessage(message)
}

/** @param {unknown} module */
async function takeInterpreter(module) {
  interpreter.resolve(/** @type {WebAssembly.Module} */ (module))
}

/** @param {unknown} bytes */
async function takeBytecode(bytes) {
  bytecode = /** @type {ArrayBuffer} */ (bytes)
}

/** What has come by now: messages of the last long moment are still to be read. */
async function bytecodeSoFar() {
  await tick()
  return bytecode
}

/** @param {BootAssets} assets */
function snapshot(assets) {
  return takeSnapshot(assets, interpreter.promise, bytecodeSoFar)
}

/** @param {Request} request */
async function boot({ id, params }) {
  const assets = /** @type {BootAssets} */ (params)
  /** @param {string} phase */
  const tell = (phase) => reply({ id, progress: { phase, done: 0, total: 0 } })
  python = await startPython(assets, interpreter.promise, bytecodeSoFar, tell)
  tell('testing itself')
  unwrap(python.call('selftest', '{}'))
  bounds = /** @type {ParquetBounds} */ (
    unwrap(python.call('bounds', JSON.stringify(assets.bounds)))
  )
  return unwrap(python.call('versions', '{}'))
}

/** @param {Request} request */
async function answer({ method, params }) {
  if (!python) throw new Error('Python is not ready')
  const text = JSON.stringify(params ?? {})
  if (method === 'export') return python.exported(text)
  return unwrap(python.call(method, text))
}

/** @param {Job} job */
async function runStepped(job) {
  if (!python) throw new Error('Python is not ready')
  const { id, method, params, data } = job.request
  const decoded = data && isParquet(data) ? await decodeParquet(data, bounds) : undefined
  if (job.dropped) throw stopped()
  python.start(method, JSON.stringify(params ?? {}), data, decoded)
  for (;;) {
    const { progress, ...end } = JSON.parse(python.step(STEP_MS))
    if (!progress) return unwrapped(end)
    reply({ id, progress })
    await tick()
    if (job.dropped) {
      python.abandon()
      throw stopped()
    }
  }
}

/** @param {Uint8Array} bytes */
function isParquet(bytes) {
  return String.fromCharCode(...bytes.subarray(0, 4)) === 'PAR1'
}

const channel = new MessageChannel()
/** @type {(() => void) | null} */
let resume = null
channel.port1.onmessage = () => resume?.()

/** Let the messages that have arrived be handled; a timer would wait 4 ms. */
function tick() {
  return new Promise((resolve) => {
    resume = () => resolve(undefined)
    channel.port2.postMessage(null)
  })
}

/** An error in wire form, on its way to the page. */
class Failure extends Error {
  /** @param {WireError} wire */
  constructor(wire) {
    super(wire.message)
    this.wire = wire
  }
}

function stopped() {
  return new Failure({ code: 'cancelled', message: 'Stopped before it was finished.' })
}

/** @param {string} text */
function unwrap(text) {
  return unwrapped(JSON.parse(text))
}

/** @param {{ result?: unknown, error?: WireError }} outcome */
function unwrapped({ result, error }) {
  if (error) throw new Failure(error)
  return result
}

/**
 * @param {unknown} error
 * @returns {WireError}
 */
function wireError(error) {
  if (error instanceof Failure || error instanceof BrokenPython) return error.wire
  const { message = String(error), stack = '' } = error instanceof Error ? error : {}
  return { code: 'internal', message: lastLine(message), details: message || stack }
}

/**
 * A Python traceback ends with what went wrong, and Pyodide may add hints after it.
 *
 * @param {string} message
 */
function lastLine(message) {
  const lines = message.trim().split('\n')
  return (
    lines.findLast((line) => /^[\w.]+(Error|Exception|Interrupt)\b/.test(line)) ??
    lines[lines.length - 1]
  )
}
