/** The shapes of parquet.js; `leakladder/read/parquet.py` describes the interchange itself. */

export interface ParquetBounds {
  rows: number | null
  unpacked: number | null // bytes of all pages unpacked, and characters handed out
}

export type Cell = unknown // what hyparquet decodes: string, number, bigint, boolean, bytes, ...

export interface ColumnType {
  kind:
    | 'text'
    | 'boolean'
    | 'int'
    | 'float'
    | 'double'
    | 'half'
    | 'decimal'
    | 'date'
    | 'time'
    | 'timestamp'
    | 'binary'
    | 'uuid'
    | 'null'
    | 'list'
    | 'struct'
    | 'map'
  scale?: number // decimal: digits behind the point
  unit?: 'ms' | 'us' | 'ns' // time, timestamp
  utc?: boolean // timestamp
  item?: ColumnType // list
  fields?: { name: string; type: ColumnType }[] // struct
  key?: ColumnType // map
  value?: ColumnType // map
  names?: string[] // map: what hyparquet calls its entries, keys and values
}
