/** Shapes between the meaning worker and the page. Vectors are flat, 384 floats a row, length 1. */

/** Texts as word pieces, all in one array. */
export interface PieceRows {
  ids: Int32Array // both ends included, at most 256 a row
  starts: Uint32Array // row r is ids[starts[r]] to ids[starts[r + 1]]
  cut: Uint8Array // 1 where the text goes on after the window
  readable: Uint8Array // 0 where no piece is one that the model knows: blank, or not its script
}

export interface EmbedderAssets {
  model: ArrayBuffer
  tokenizer: string // tokenizer.json
  config: string // tokenizer_config.json
  golden: string // golden.json
}

export interface Embedder {
  pieces(texts: readonly string[]): PieceRows
  embed(
    rows: Pick<PieceRows, 'ids' | 'starts'>,
    pulse?: (done: number) => Promise<void> | void,
  ): Promise<Float32Array>
  version: string // of onnxruntime-web
  release(): Promise<void>
}

/** scores [m x n] of the rows of a and b, flat. */
export type Multiply = (a: Float32Array, b: Float32Array) => Promise<Float32Array>

/** Told how many blocks are done of how many; may throw to stop. */
export type Pulse = (done: number, total: number) => Promise<void> | void

/** A pair of nodes, a < b. */
export interface ClosestPair {
  a: number
  b: number
  cosine: number
}

export interface SimilarPairs {
  total: number // pairs of rows at or above the threshold in different nodes, all counted
  a: Uint32Array // kept pairs, highest cosine first, then smallest a, then smallest b; a < b
  b: Uint32Array
  cosine: Float64Array
  labels: Uint32Array // per node, the smallest node it is joined to at the threshold
  closest: ClosestPair | null // of all pairs, threshold or not; null under two nodes
}

export interface NearestRows {
  at: Int32Array // per test row, its nearest train row; -1 where there is none
  cosine: Float64Array
}
