/**
 * Every shape that crosses a boundary, with its units.
 *
 * Shares are fractions from 0 to 1. Indices are 0-based; record = index + 1 and line are what
 * people see. Offsets into text are UTF-16 units, half-open.
 */

export type Side = 'test' | 'train'
export type RungName = 'ngrams' | 'rows' | 'rules'
/** Whatever has a table of its own: the rungs, and what is put together from them. */
export type LookName = RungName | 'overview' | 'train'
export type TabName = 'overview' | RungName | 'meaning' | 'train'
export type MarkName = 'leak' | 'template' | 'shared-sentence' | 'fine' | 'unsure'

/** A person's word on one test row. */
export interface RowMark {
  mark: MarkName | null // null: a note alone
  note: string
}

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
  files: Record<string, { bytes: number; sha256: string; group: FileGroup }>
  copy?: string // a saved copy: its own file name
  missing?: 'model'[] // what a saved copy leaves out
}

/** When the browser keeps a file: at once, after its first use, never (the copies), never (the host's). */
export type FileGroup = 'core' | 'model' | 'copy' | 'host'

/** What the browser keeps of the page for use without its server. */
export interface SavedState {
  core: 'none' | 'saving' | 'ready' | 'failed' | 'forgotten'
  model: 'absent' | 'none' | 'saving' | 'ready' | 'failed' // absent: the build has none
  waiting: boolean // a newer build is there and waits
  replaced: boolean // another tab changed to a newer build
  done: number // bytes of the model
  total: number
}

/**
 * What the Python worker is started with, after `hold`, which names its lifeline. Buffers are
 * transferred. The interpreter, a WebAssembly.Module, comes by itself, before or after, and so may
 * the package's bytecode, an ArrayBuffer.
 */
export interface BootAssets {
  snapshot: ArrayBuffer | null // memory to start from, of this build and this browser
  stdlib: ArrayBuffer
  lock: string // JSON of Pyodide's lock file without packages
  micropip: { name: string; bytes: ArrayBuffer }
  wheel: { name: string; bytes: ArrayBuffer }
  version: string // what the wheel must say it is
  bounds: Bounds // of this build
}

/** Pictures of Python's memory, as this browser keeps them for one build. */
export interface Snapshots {
  read(): Promise<ArrayBuffer | null> // null where there is none that may be used
  isWanted(): Promise<boolean> // the build is kept, without a picture so far
  keep(bytes: Uint8Array<ArrayBuffer>): Promise<void>
  refuse(): Promise<void> // this build and browser start plainly from now on
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
  histogram?: { clean: number; bins: number[] } // rows by dirty share; clean: those at zero
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
  at: number // its place in the table's own order
  match: 'exact' | 'normalized' | 'identifier'
  text: string
  differs: boolean
  test: { rows: Place[]; more: number }
  train: { rows: Place[]; more: number }
}

/** A finding whole: the text of its first row on each side, and up to 200 places. */
export interface ItemView {
  match: 'exact' | 'normalized' | 'identifier'
  differs: boolean
  test: { rows: Place[]; more: number; text: string }
  train: { rows: Place[]; more: number; text: string }
}

export type BandName = 'exact' | 'normalized' | 'ngrams' | 'rules' | 'meaning' | 'none'

/** Each test row once, on the lowest rung that catches it. */
export interface OverviewSummary {
  rows: number
  lowest: { name: BandName; count: number }[]
  identifier: number | null
  unjudged: number // no rung could judge these
  run: RungName[]
}

export interface OverviewRow {
  index: number
  record: number
  line: number | null
  label: string
  lowest: BandName | 'unjudged'
  exact: boolean | null
  normalized: boolean | null
  identifier: boolean | null
  ngrams: {
    state: RowState
    flagged: boolean | null
    dirty_share: number | null
    longest_span: number | null
  } | null
  rules: string[] | null
}

/** A training row, with what it shares with its nearest test row. */
export interface TrainRow {
  index: number
  record: number
  line: number | null
  label: string
  longest_run: number
  hit: boolean
  exact: boolean | null
  normalized: boolean | null
}

/** What `clean` left out; no text of the file. */
export interface CleanSummary {
  source: { name: string; sha256: string }
  name: string // what the file may be called
  rows: number
  kept: number
  left_out: number
  bad_left_out: number // records that could not be read
  bytes: number
  rewritten: boolean // as JSONL, so no byte is as it was
  notes: string[]
  side: Side
  by: Record<string, number> // rows by each reason; one that goes by two counts under both
  spared: number
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
  runs?: number[] // words of each shared run, in test order, where the published rules go by them
  match?: 'exact' | 'normalized' | 'meaning' // by what it is found where no run reaches n
  verdicts?: RuleVerdicts
}

export interface TablePage<Row> {
  total: number
  offset: number
  rows: Row[]
}

// ---------------------------------------------------------------- rung 6

/** What a run of the meaning check would compare. */
export interface MeaningPlan {
  mode: 'within' | 'across'
  rows: Record<Side, number>
  columns: { test: string; train: string | null }
  characters: Record<Side, number> // that the model reads, about
  flagged: number | null // test rows that another rung catches; null where none has run
}

export interface MeaningSummary {
  rows: number
  blank: number
  unreadable: number // text of which the model knows no piece
  compared: number
  threshold: number
  truncated: number
  groups?: number // this and the next ones: within one file
  rows_in_groups?: number
  duplicate_share?: number | null
  effective?: number
  chained?: number
  pairs?: number
  pairs_not_kept?: number
  just_above?: number | null
  just_below?: number | null
  closest?: { a_index: number; b_index: number; cosine: number } | null
  across?: {
    checked: number
    reads_alike: number
    share: number | null
    few_words: number
    borderline: number
    train_rows: number
    bins: number[] // nearest cosines from 0 to 1
  }
}

export interface MeaningPair {
  group: number
  cosine: number
  a_index: number
  a_record: number
  a_label: string
  a_text: string
  b_index: number
  b_record: number
  b_label: string
  b_text: string
  borderline: boolean
}

export interface MeaningGroup {
  group: number
  rows: number
  lowest: number
  chained: boolean
  members: { index: number; record: number; line: number | null; label: string }[] // the first ones
}

export interface MeaningResult {
  summary: MeaningSummary
  pairs: MeaningPair[] // the first ones
  groups: MeaningGroup[] // the first ones
  stamp: Stamp
}

export interface MeaningRow {
  index: number
  record: number
  line: number | null
  label: string
  text: string
  train_index: number
  train_record: number
  train_label: string
  train_text: string
  cosine: number
  shared_run: number // words, with that training row
  longest_run: number // words, with any training row; 0 under five
  borderline: boolean
  alike: boolean
}

export interface MeaningAsk {
  subset: '' | 'alike' | 'few' | 'borderline'
  filter: string
  offset: number
}

/** What the model made of an example's test rows: all that any threshold is answered from. */
export interface StoredCosines {
  node_of: number[] // per row; -1 where there is nothing to compare
  cosines: [a: number, b: number, cosine: number][] // of every two nodes
  truncated: number
  unreadable: number
  sha256: string // of the model file
}

// ---------------------------------------------------------------- examples

export interface Example {
  title: string
  rung: RungName | 'meaning' // the tab it is made for
  test: { name: string; text: string }
  train: { name: string; text: string }
  settings: Partial<Settings> & { cosine?: number }
}

/** One entry of dist/examples.json: the inputs with what the core made of them at build time. */
export interface StoredExample extends Example {
  facts: Record<Side, FileFacts>
  summary: unknown // null where the core has no such rung
  table: TablePage<unknown> | null
  pair: PairView | null
  item?: ItemView // of the rows rung
  meaning?: {
    result: MeaningResult // at the threshold that a page starts with
    pair: (PairView & { shared_run: number; within: boolean }) | null
    found: StoredCosines
  }
}
