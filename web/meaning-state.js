/**
 * What the page knows of rung 6, and how that changes. Pure, like the rest of the store.
 *
 * @import { MeaningAsk, MeaningPlan, MeaningResult, MeaningRow, PairView, StoredCosines, TablePage, WireError } from './types.d.ts'
 * @import { State } from './state.js'
 */

/** @typedef {{ phase: string, done: number, total: number, rate: number | null, left: number | null }} MeaningProgress rows a second, seconds left */

/** @typedef {{ seconds: number, measured: number, rows: number }} MeaningEstimate for `rows` distinct texts, after `measured` of them */

/**
 * @typedef {{
 *   mode: 'within' | 'across',
 *   threshold: number,
 *   status: 'idle' | 'asking' | 'running' | 'looking' | 'done' | 'failed' | 'stopped',
 *   key: string | null,
 *   planKey: string | null,
 *   plan: MeaningPlan | null,
 *   modelBytes: number | null,
 *   modelIn: boolean,
 *   modelInside: boolean,
 *   speed: number | null,
 *   estimate: MeaningEstimate | null,
 *   progress: MeaningProgress | null,
 *   result: MeaningResult | null,
 *   example: boolean,
 *   stored: (StoredCosines & { key: string | null }) | null,
 *   live: boolean,
 *   ask: MeaningAsk,
 *   page: TablePage<MeaningRow> | null,
 *   selected: string | null,
 *   pair: (PairView & { shared_run: number, within: boolean }) | null,
 *   error: WireError | null,
 * }} MeaningState `threshold` is a cosine; `asking` waits for a yes to the estimate, `looking` is a
 *   threshold being recomputed; `modelBytes` null where this build has no model,
 *   `modelInside` where the model stands in the page, a saved copy; `speed` in word pieces a second,
 *   as measured in this visit; `stored` came with an example and holds for the inputs of its `key`;
 *   `live` as in Rung
 */

export const LEAST = 0.7
export const MOST = 0.99

/** @returns {MeaningState} */
export function idleMeaning() {
  return {
    mode: 'within',
    threshold: 0.9,
    status: 'idle',
    key: null,
    planKey: null,
    plan: null,
    modelBytes: null,
    modelIn: false,
    modelInside: false,
    speed: null,
    estimate: null,
    progress: null,
    result: null,
    example: false,
    stored: null,
    live: false,
    ask: { subset: '', filter: '', offset: 0 },
    page: null,
    selected: null,
    pair: null,
    error: null,
  }
}

/** @type {Record<string, (state: State, action: any) => State>} */
export const MEANING_REDUCERS = {
  'meaning-changed': (state, { patch }) => patchMeaning(state, patch),
  'meaning-shown': (state, { patch, said }) => ({ ...patchMeaning(state, patch), said }),
  'meaning-cleared': (state) => patchMeaning(state, forgotten(state.meaning)),
}

/**
 * @param {State} state
 * @param {Partial<MeaningState>} patch
 * @returns {State}
 */
export function patchMeaning(state, patch) {
  return { ...state, meaning: { ...state.meaning, ...patch } }
}

/**
 * Everything but what does not depend on files.
 *
 * @param {MeaningState} meaning
 * @returns {MeaningState}
 */
export function forgotten({ mode, threshold, modelBytes, modelIn, modelInside, speed }) {
  return { ...idleMeaning(), mode, threshold, modelBytes, modelIn, modelInside, speed }
}

/**
 * Name of a pair that is read.
 *
 * @param {number} index of a test row
 * @param {number | null} other another test row, or null for the nearest training row
 */
export function keyOf(index, other) {
  return other === null ? String(index) : `${index}-${other}`
}
