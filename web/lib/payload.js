/**
 * Both inputs as text that fits into a link: a short head as JSON, then the files' bytes, deflated
 * and written in the base64 of addresses.
 *
 * @import { ReadOptions, Split } from '../types.d.ts'
 */

/** @typedef {{ name: string, bytes: Uint8Array, options: ReadOptions }} Carried */
/** @typedef {{ test: Carried, train: Carried | null, split: Split | null }} Rows `train` null in one-file mode */

/** A link's rows that cannot be read. Its message is for people. */
export class PayloadError extends Error {}

const FORMAT = 1

/**
 * @param {Rows} rows
 * @returns {Promise<string>}
 */
export async function packRows({ test, train, split }) {
  /** @param {Carried} file */
  const head = ({ name, bytes, options }) => ({ name, size: bytes.length, options })
  const about = { format: FORMAT, test: head(test), train: train && head(train), split }
  const parts = [`${JSON.stringify(about)}\n`, test.bytes, train?.bytes ?? '']
  const packed = new Blob(/** @type {BlobPart[]} */ (parts))
    .stream()
    .pipeThrough(new CompressionStream('deflate-raw'))
  return toText(new Uint8Array(await new Response(packed).arrayBuffer()))
}

/**
 * @param {string} text
 * @param {number} bound bytes that each file may have
 * @returns {Promise<Rows>}
 * @throws {PayloadError} when it is damaged, cut short or too large
 */
export async function unpackRows(text, bound) {
  const bytes = await inflate(fromText(text), 2 * bound + 100_000)
  const end = bytes.indexOf(10)
  const about = parseHead(new TextDecoder().decode(bytes.subarray(0, Math.max(end, 0))))
  const sizes = [about.test.size, about.train?.size ?? 0]
  if (end + 1 + sizes[0] + sizes[1] !== bytes.length) throw cut()
  let at = end + 1
  /** @param {{ name: string, size: number, options: ReadOptions }} head */
  const take = ({ name, size, options }) => {
    if (size > bound)
      throw new PayloadError('The rows in this link are over the bound of the page.')
    at += size
    return { name, bytes: bytes.slice(at - size, at), options }
  }
  return { test: take(about.test), train: about.train && take(about.train), split: about.split }
}

/** @param {string} text */
function parseHead(text) {
  try {
    const about = JSON.parse(text)
    if (about.format === FORMAT && isFile(about.test) && (!about.train || isFile(about.train))) {
      return {
        ...about,
        train: about.train ?? null,
        split: isSplit(about.split) ? about.split : null,
      }
    }
  } catch {
    // told below, like any other damage
  }
  throw cut()
}

/** @param {any} file */
function isFile(file) {
  const { name, size, options } = file ?? {}
  return typeof name === 'string' && Number.isSafeInteger(size) && size >= 0 && isObject(options)
}

/** @param {any} split */
function isSplit(split) {
  return (
    isObject(split) && ['column', 'test', 'train'].every((key) => typeof split[key] === 'string')
  )
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function cut() {
  return new PayloadError('The rows in this link are damaged or cut short, so none were read.')
}

/**
 * A few kilobytes may claim to be gigabytes: stop at the bound.
 *
 * @param {Uint8Array<ArrayBuffer>} packed
 * @param {number} bound
 */
async function inflate(packed, bound) {
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = []
  let size = 0
  try {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
    const reader = stream.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      size += value.length
      if (size > bound) {
        await reader.cancel()
        throw new PayloadError('The rows in this link are over the bound of the page.')
      }
      parts.push(value)
    }
  } catch (error) {
    throw error instanceof PayloadError ? error : cut()
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

/** @param {Uint8Array} bytes */
function toText(bytes) {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** @param {string} text */
function fromText(text) {
  try {
    const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(plain, (letter) => letter.charCodeAt(0))
  } catch {
    throw cut()
  }
}
