/**
 * Every shape that crosses a boundary, with its units.
 *
 * Shares are fractions from 0 to 1. Indices are 0-based; record = index + 1 and line are what
 * people see. Offsets into text are UTF-16 units, half-open.
 */

export type Side = 'test' | 'train'
export type RungName = 'ngrams' | 'rows' | 'rules'
export type TabName = 'overview' | RungName | 'meaning'

// ---------------------------------------------------------------- messages

export interface Port {
  postMessage(message: unknown, transfer?: Transferable[]): void
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
  removeEventListener(type: 'message', listener: (event: MessageEvent) => void): void
}

export interface Request {
  id: number
  method: string
  params: unknown
  data?: Uint8Array // a file's bytes, transferred
}

export interface CancelRequest {
  cancel: number // id of the call to drop
}

export interface Progress {
  phase: string
  done: number
  total: number // 0 where it is not known
}

export type Reply =
  | { id: number; progress: Progress }
  | { id: number; result: unknown }
  | { id: number; error: WireError }

/** An error that the worker expected; `code` is the only part to branch on. */
export interface WireError {
  code: string
  message: string
  details?: string
  reason?: string
  fix?: string
  file?: string
  line?: number | null // 1-based
  column?: number | null // 1-based
  byte?: number | null // 0-based
  first?: WireError[] // bad-records: the first ten
  total?: number // bad-records: all of them
  option?: string // choice-needed: which ReadOptions key the answer goes into
  choices?: string[]
  unit?: string // over-the-bound
  bound?: number
  found?: number
  field?: string // no-such-field
  available?: string[]
  setting?: string // bad-setting
}

// ---------------------------------------------------------------- the build

export interface Bounds {
  bytes: number
  rows: number
}

export interface Manifest {
  build: string
  version: string
  bounds: Bounds
  files: Record<string, { bytes: number; sha256: string }>
}

/** What the Python worker is started with. Buffers are transferred. */
export interface BootAssets {
  wasm: ArrayBuffer
  stdlib: ArrayBuffer
  lock: string // JSON of Pyodide's lock file without packages
  micropip: { name: string; bytes: ArrayBuffer }
  wheel: { name: string; bytes: ArrayBuffer }
  version: string // what the wheel must say it is
}

export interface Versions {
  leakladder: string
  algorithm: string | number
  python: string
  unicode: string
}

// ---------------------------------------------------------------- reading

export interface ReadOptions {
  format?: string | null
  encoding?: string | null
  delimiter?: string | null
  header?: boolean | null
  list_path?: string | null
  whole_text?: boolean
  pad_ragged?: boolean
  skip_bad?: boolean
}

export interface FieldInfo {
  path: string
  filled: number // rows that have it
  kind: string
  samples: string[]
}

export interface FileFacts {
  side: Side
  name: string
  bytes: number
  sha256: string
  rows: number
  format: string
  encoding: string | null
  compression: string | null
  delimiter: string | null
  header: boolean | null
  blank_lines: number
  left_out: number
  notes: string[]
  fields: FieldInfo[]
  guess: { text: string[]; id: string | null; split: string | null }
}

export interface SplitValue {
  value: string
  count: number
}

// ---------------------------------------------------------------- settings

export interface Split {
  column: string
  test: string
  train: string
}

export interface Settings {
  test_fields: string[] // empty: guess
  train_fields: string[]
  test_id: string | null // '' none, null guess
  train_id: string | null
  tokens: 'loose' | 'strict' | 'characters'
  n: number
  threshold: number // whole percent
  strip_articles: boolean
  rule_n: number | null
  llama_min: 10 | 11
  split: Split | null
}

/** Text of a settings field while a person types; null where the control cannot be wrong. */
export interface Drafts {
  n: string
  threshold: string
  rule_n: string
}

// ---------------------------------------------------------------- results

export type Stamp = Record<string, unknown>

export interface NgramSummary {
  rows: number
  checkable: number
  flagged: number
  short: number
  blank: number
  tokens: number
  dirty_tokens: number
  dirty_share: number | null
  flagged_share: number | null
  train_rows: number
  train_rows_hit: number
  tokens_hint?: boolean // the mean loose token is so long that character tokens fit better
  test: { name: string; fields: string[] }
  train: { name: string; fields: string[] }
  stamp: Stamp & { n: number; threshold: number; same_file?: boolean }
}

export type RowState = 'checked' | 'short' | 'blank'

export interface NgramRow {
  index: number
  record: number
  line: number | null
  label: string
  state: RowState
  flagged: boolean | null // this and the next ones: null unless checked
  tokens: number
  dirty_tokens: number | null
  dirty_share: number | null
  longest_span: number | null
  windows: number | null
  longest_run: number
  best_train_index: number | null
  best_train_record: number | null
  best_train_label: string | null
}

export interface RowsCheck {
  items: number
  train_rows: number
  test_rows: number
  train_share: number | null
  test_share: number | null
}

export interface RepeatCount {
  groups: number
  rows: number
  effective: number
}

export interface RowsSummary {
  counts: { test: number; train: number }
  exact: RowsCheck
  normalized: RowsCheck
  identifier: RowsCheck
  identifier_note: 'serial' | 'no-id' | null
  further: { items: number; rows: number }
  repeats: Record<Side, { exact: RepeatCount; normalized: RepeatCount }>
  transform: string
  reading: { case: 'both' | 'content' | 'id' | 'neither'; sentence: string }
  stamp: Stamp
}

export interface Place {
  record: number
  line: number | null
}

export interface RowsFinding {
  match: 'exact' | 'normalized' | 'identifier'
  text: string
  differs: boolean
  test: { rows: Place[]; more: number }
  train: { rows: Place[]; more: number }
}

export interface RuleColumn {
  name: string
  title: string
  source: string
  unit: string
  note: string
  flagged: number
  defined: number
  undefined: number
  share: number | null
  expected?: number | null
}

export interface RulesSummary {
  rows: number
  n: number
  n_from: 'percentile' | 'chosen'
  facts: {
    percentile_length: number | null
    shortest_characters: number | null
    windows8: { all: number; with_digit: number }
    windows13: { all: number; with_digit: number }
  }
  low_evidence: number // rows under 50 characters: one window decides
  rules: RuleColumn[]
  sweep: { n: number; share: number | null }[]
  disagreements: { names: string[]; count: number }[]
  stamp: Stamp
}

export interface RuleVerdicts {
  gpt3: boolean | null
  palm: boolean | null
  llama2: 'clean' | 'between' | 'dirty' | null
  gpt4_any: boolean | null
  gpt4_probability: number | null
}

export interface RulesRow {
  index: number
  record: number
  line: number | null
  label: string
  words: number
  longest_run: number
  best_train_record: number | null
  verdicts: RuleVerdicts
  disagree: boolean
}

export interface Mark {
  start: number
  stop: number
  tokens: number
}

export interface PairSide {
  index: number
  record: number
  line: number | null
  label: string
  parts: { field: string; text: string; marks: Mark[] }[]
}

export interface PairView {
  test: PairSide
  train: PairSide | null
  tokens: number
  dirty_tokens: number | null
  best_row_share: number | null
  longest_span: number
  other_rows: boolean
  verdicts?: RuleVerdicts
}

export interface TablePage<Row> {
  total: number
  offset: number
  rows: Row[]
}

// ---------------------------------------------------------------- examples

export interface Example {
  title: string
  rung: RungName // the tab it is made for
  test: { name: string; text: string }
  train: { name: string; text: string }
  settings: Partial<Settings>
}

/** One entry of dist/examples.json: the inputs with what the core made of them at build time. */
export interface StoredExample extends Example {
  facts: Record<Side, FileFacts>
  summary: unknown // null where the core has no such rung
  table: TablePage<unknown> | null
  pair: PairView | null
}
