/**
 * Parquet in the page: bytes in, the interchange text out.
 *
 * Decodes and does not format: how a date, a decimal or a double is written is decided by
 * `leakladder/read/parquet.py`, for the page and the command line alike. That file describes the
 * interchange. The only file that knows hyparquet.
 *
 * @import { FileMetaData, SchemaElement, SchemaTree } from 'hyparquet'
 * @import { Cell, ColumnType, ParquetBounds } from './parquet-types.d.ts'
 */

import { decompress as unzstd } from 'fzstd'
import { parquetMetadata, parquetRead, parquetSchema } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { compressors } from 'hyparquet-compressors'

/** Nesting of a schema that is still read. */
const MAX_LEVELS = 100

/** Values on a line of the interchange: a line is parsed in one step. */
const LINE = 10_000

/** A failure that the core turns into one of its errors; it knows the file's name. */
class ParquetFault extends Error {
  /** @param {Record<string, string | number>} wire */
  constructor(wire) {
    super(String(wire.reason ?? wire.code))
    this.wire = wire
  }
}

/** @param {string} reason */
const damaged = (reason) => new ParquetFault({ code: 'bad-parquet', reason })

/**
 * @param {string} unit
 * @param {number} bound
 * @param {number} found
 */
const overBound = (unit, bound, found) =>
  new ParquetFault({ code: 'over-the-bound', unit, bound, found })

/**
 * Decode a Parquet file into the interchange that the core reads.
 *
 * What the file declares is checked before anything is decoded, and characters are counted while
 * decoding, so that a small file which unpacks to gigabytes stops early.
 *
 * @param {Uint8Array} bytes the whole file
 * @param {ParquetBounds} bounds null means no bound
 * @returns {Promise<string>} lines of JSON; for a file that cannot be read one with `error`
 */
export async function decodeParquet(bytes, bounds) {
  try {
    return await decode(bytes, bounds)
  } catch (fault) {
    if (fault instanceof ParquetFault) return JSON.stringify({ error: fault.wire })
    const said = fault instanceof Error ? fault.message : String(fault)
    const reason = `the Parquet file is damaged: ${said.replace(/^parquet /, '')}.`
    return JSON.stringify({ error: { code: 'bad-parquet', reason } })
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {ParquetBounds} bounds
 */
async function decode(bytes, bounds) {
  const metadata = parquetMetadata(bytes, { geoparquet: false })
  const rows = Number(metadata.num_rows)
  if (bounds.rows !== null && rows > bounds.rows) throw overBound('rows', bounds.rows, rows)
  checkPages(bytes, metadata, bounds)
  const tree = parquetSchema(metadata)
  const names = tree.children.map((node) => node.element.name)
  if (new Set(names).size !== names.length) throw damaged('two columns have the same name.')
  const types = tree.children.map((node) => typeOf(node, 0))
  const budget = { left: bounds.unpacked ?? Number.POSITIVE_INFINITY, bound: bounds.unpacked ?? 0 }
  /** @type {string[]} */
  const lines = []
  for (const [at, name] of names.entries()) {
    const values = await readColumn(bytes, metadata, name)
    if (values.length !== rows) throw damaged('its columns differ in length.')
    for (let start = 0; start < rows; start += LINE) {
      const part = values.slice(start, start + LINE)
      lines.push(`[${part.map((value) => encode(value, types[at], budget)).join(',')}]`)
    }
  }
  const columns = names.map((name, at) => ({ name, type: types[at] }))
  return [JSON.stringify({ rows, columns }), ...lines].join('\n')
}

/**
 * Compare what the pages of a file declare with what its footer and the bounds allow.
 *
 * @param {Uint8Array} bytes
 * @param {FileMetaData} metadata
 * @param {ParquetBounds} bounds
 */
function checkPages(bytes, metadata, bounds) {
  const bound = bounds.unpacked ?? Number.POSITIVE_INFINITY
  let unpacked = 0
  let cells = 0
  for (const group of metadata.row_groups) {
    for (const { meta_data: chunk } of group.columns) {
      if (!chunk) throw damaged('a column lies in another file.')
      for (const page of pagesOf(bytes, chunk)) {
        unpacked += page.uncompressed_page_size
        cells += page.data_page_header?.num_values ?? page.data_page_header_v2?.num_values ?? 0
        const keys = page.dictionary_page_header?.num_values ?? 0
        if (keys < 0 || keys > page.uncompressed_page_size) throw damaged('a dictionary lies.')
        if (unpacked > bound) throw overBound('unpacked bytes', bound, unpacked)
        if (cells > bound) throw overBound('cells', bound, cells)
      }
    }
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {NonNullable<FileMetaData['row_groups'][0]['columns'][0]['meta_data']>} chunk
 */
function* pagesOf(bytes, chunk) {
  const start = Number(chunk.dictionary_page_offset || chunk.data_page_offset)
  const size = Number(chunk.total_compressed_size)
  if (!(start >= 0 && size >= 0 && start + size <= bytes.length)) {
    throw damaged('a column lies outside the file.')
  }
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset + start, size), offset: 0 }
  while (reader.offset < size - 1) {
    const page = parquetHeader(reader)
    if (!(page.compressed_page_size >= 0 && page.uncompressed_page_size >= 0)) {
      throw damaged('a page has no size.')
    }
    reader.offset += page.compressed_page_size
    yield page
  }
}

/**
 * Read one column whole.
 *
 * @param {Uint8Array} bytes
 * @param {FileMetaData} metadata
 * @param {string} name
 * @returns {Promise<Cell[]>} in row order
 */
async function readColumn(bytes, metadata, name) {
  /** @type {{ at: number, data: ArrayLike<Cell> }[]} */
  const chunks = []
  const file = {
    byteLength: bytes.length,
    /** @param {number} start @param {number} [stop] */
    slice: (start, stop) => bytes.slice(start, stop).buffer,
  }
  await parquetRead({
    file,
    metadata,
    columns: [name],
    // Into a buffer of the size that the page declares, which has been checked: the package's own
    // entry takes as much memory as the stream asks for.
    compressors: {
      ...compressors,
      ZSTD: (input, size) => unzstd(input, new Uint8Array(/** @type {number} */ (size))),
    },
    utf8: false,
    parsers: PARSERS,
    onChunk: ({ columnData, rowStart }) => chunks.push({ at: rowStart, data: columnData }),
  })
  chunks.sort((a, b) => a.at - b.at)
  return chunks.flatMap(({ data }) => Array.from(data))
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** What hyparquet asks for where a type is left to it. */
const PARSERS = {
  /** @param {Uint8Array} bytes */
  stringFromBytes(bytes) {
    try {
      return bytes && utf8.decode(bytes)
    } catch {
      throw damaged('a text is not UTF-8.')
    }
  },
  /** INT96 only: all other timestamps are read as the numbers they are. @param {bigint} nanos */
  timestampFromNanoseconds: (nanos) => /** @type {any} */ (nanos),
}

/**
 * Take the type of a column from its schema, and change the schema so that values stay raw.
 *
 * @param {SchemaTree} node
 * @param {number} level
 * @returns {ColumnType}
 */
function typeOf(node, level) {
  const { element, children } = node
  if (level > MAX_LEVELS) throw damaged(`its schema nests more than ${MAX_LEVELS} deep.`)
  if (element.name === '__proto__') throw damaged('a field is called __proto__.')
  const said = element.logical_type?.type ?? element.converted_type
  if (!children.length) return repeat(element, leafType(element))
  if (said === 'MAP' || element.converted_type === 'MAP_KEY_VALUE') {
    return mapType(node, level)
  }
  if (said === 'LIST') {
    element.converted_type = 'LIST'
    const inner = children[0]
    const item = inner.children.length === 1 ? inner.children[0] : inner
    const type = item === inner ? withoutRepeat(inner, level) : typeOf(item, level + 1)
    return { kind: 'list', item: type }
  }
  element.converted_type = undefined
  element.logical_type = undefined
  const fields = children.map((child) => ({
    name: child.element.name,
    type: typeOf(child, level + 1),
  }))
  return repeat(element, { kind: 'struct', fields })
}

/**
 * @param {SchemaElement} element
 * @param {ColumnType} type
 * @returns {ColumnType}
 */
function repeat(element, type) {
  return element.repetition_type === 'REPEATED' ? { kind: 'list', item: type } : type
}

/**
 * @param {SchemaTree} node a repeated one, the element of a list of two levels
 * @param {number} level
 * @returns {ColumnType}
 */
function withoutRepeat(node, level) {
  const type = typeOf(node, level + 1)
  return type.kind === 'list' && type.item ? type.item : type
}

/**
 * A map is read as a struct that holds a repeated struct, which keeps keys that are no texts.
 *
 * @param {SchemaTree} node
 * @param {number} level
 * @returns {ColumnType}
 */
function mapType(node, level) {
  const entries = node.children[0]
  if (node.children.length !== 1 || entries.children.length !== 2) {
    throw damaged('a map has no key and value.')
  }
  for (const element of [node.element, entries.element]) {
    element.converted_type = undefined
    element.logical_type = undefined
  }
  const [key, value] = entries.children.map((child) => typeOf(child, level + 2))
  const [keyName, valueName] = entries.children.map((child) => child.element.name)
  return { kind: 'map', key, value, names: [entries.element.name, keyName, valueName] }
}

/** @type {Record<string, 'ms' | 'us' | 'ns'>} */
const UNITS = { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' }

/** @type {Record<string, ColumnType['kind']>} */
const PHYSICAL = {
  BOOLEAN: 'boolean',
  INT32: 'int',
  INT64: 'int',
  FLOAT: 'float',
  DOUBLE: 'double',
  BYTE_ARRAY: 'binary',
  FIXED_LEN_BYTE_ARRAY: 'binary',
}

/**
 * @param {SchemaElement} element of a leaf; its annotations are taken off where they would
 *   make hyparquet convert a value
 * @returns {ColumnType}
 */
function leafType(element) {
  const { type, converted_type: converted, logical_type: logical } = element
  const said = logical?.type ?? converted ?? ''
  if (said === 'INTEGER' || said.startsWith('UINT') || said.startsWith('INT_')) {
    return { kind: 'int' }
  }
  const text = ['STRING', 'ENUM', 'JSON', 'UTF8'].includes(said)
  element.converted_type = text ? 'UTF8' : undefined
  element.logical_type = undefined
  if (text) return { kind: 'text' }
  if (said === 'DECIMAL') {
    const scale = element.scale ?? (logical?.type === 'DECIMAL' ? logical.scale : 0)
    return { kind: 'decimal', scale: scale ?? 0 }
  }
  if (logical?.type === 'TIMESTAMP') {
    return { kind: 'timestamp', unit: UNITS[logical.unit], utc: logical.isAdjustedToUTC }
  }
  if (logical?.type === 'TIME') return { kind: 'time', unit: UNITS[logical.unit] }
  if (said.startsWith('TIMESTAMP_')) {
    return { kind: 'timestamp', unit: UNITS[said.slice('TIMESTAMP_'.length)], utc: true }
  }
  if (said.startsWith('TIME_')) return { kind: 'time', unit: UNITS[said.slice('TIME_'.length)] }
  if (type === 'INT96') return { kind: 'timestamp', unit: 'ns', utc: false }
  if (said === 'DATE') return { kind: 'date' }
  if (said === 'FLOAT16') return { kind: 'half' }
  if (said === 'UUID') return { kind: 'uuid' }
  if (said === 'NULL') return { kind: 'null' }
  return { kind: PHYSICAL[type ?? ''] ?? 'binary' }
}

/** @typedef {{ left: number, bound: number }} Budget characters that may still be handed out */

/**
 * Write one raw value as JSON.
 *
 * @param {Cell} value
 * @param {ColumnType} type
 * @param {Budget} budget
 * @returns {string}
 */
function encode(value, type, budget) {
  if (value === null || value === undefined) return 'null'
  if (type.kind === 'list') return encodeItems(value, type.item, budget)
  if (type.kind === 'struct') return encodeFields(value, type.fields ?? [], budget)
  if (type.kind === 'map') return encodeMap(value, type, budget)
  const text = encodeLeaf(value, type.kind)
  budget.left -= type.kind === 'text' ? /** @type {string} */ (value).length : text.length
  if (budget.left < 0) {
    throw overBound('characters', budget.bound, budget.bound - budget.left)
  }
  return text
}

/**
 * @param {Cell} value
 * @param {ColumnType['kind']} kind
 */
function encodeLeaf(value, kind) {
  if (kind === 'text') return JSON.stringify(value)
  if (value instanceof Uint8Array) {
    return kind === 'decimal' ? String(bigInteger(value)) : `"${hex(value)}"`
  }
  return Object.is(value, -0) ? '-0' : String(value)
}

/**
 * @param {Cell} value
 * @param {ColumnType | undefined} item
 * @param {Budget} budget
 */
function encodeItems(value, item, budget) {
  if (!item) throw damaged('a list has no items.')
  const items = /** @type {Cell[]} */ (value)
  return `[${Array.from(items, (inner) => encode(inner, item, budget)).join(',')}]`
}

/**
 * @param {Cell} value
 * @param {{ name: string, type: ColumnType }[]} fields
 * @param {Budget} budget
 */
function encodeFields(value, fields, budget) {
  const struct = /** @type {Record<string, Cell>} */ (value)
  return `[${fields.map(({ name, type }) => encode(struct[name], type, budget)).join(',')}]`
}

/**
 * @param {Cell} value
 * @param {ColumnType} type
 * @param {Budget} budget
 */
function encodeMap(value, { key, value: inner, names = [] }, budget) {
  if (!key || !inner) throw damaged('a map has no key and value.')
  const [entriesName, keyName, valueName] = names
  const struct = /** @type {Record<string, Cell>} */ (value)
  const entries = /** @type {Record<string, Cell>[]} */ (struct[entriesName] ?? [])
  const pairs = entries.map((entry) => {
    return `[${encode(entry[keyName], key, budget)},${encode(entry[valueName], inner, budget)}]`
  })
  return `[${pairs.join(',')}]`
}

/** @param {Uint8Array} bytes */
function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** @param {Uint8Array} bytes big-endian, two's complement */
function bigInteger(bytes) {
  return bytes.length ? BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex(bytes)}`)) : 0n
}
