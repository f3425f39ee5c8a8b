/**
 * A memory's bytes without its empty pages: half of a fresh interpreter's memory is zeros.
 *
 * Form: the length of the whole and the number of kept pages, the number of each kept page, then
 * the pages themselves; all numbers 32 bits in the machine's byte order, since a picture of memory
 * never leaves the browser that took it.
 */

const PAGE = 4096

/**
 * @param {Uint8Array} whole length a multiple of 8, at a multiple of 8 in its buffer
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function pack(whole) {
  const words = new BigUint64Array(whole.buffer, whole.byteOffset, whole.length / 8)
  const kept = []
  for (let page = 0; page * PAGE < whole.length; page += 1) {
    const first = (page * PAGE) / 8
    if (words.subarray(first, first + PAGE / 8).some((word) => word !== 0n)) kept.push(page)
  }
  const start = 4 * (2 + kept.length)
  const packed = new Uint8Array(start + kept.length * PAGE)
  new Uint32Array(packed.buffer, 0, 2 + kept.length).set([whole.length, kept.length, ...kept])
  for (const [at, page] of kept.entries()) {
    packed.set(whole.subarray(page * PAGE, (page + 1) * PAGE), start + at * PAGE)
  }
  return packed
}

/**
 * @param {ArrayBuffer} packed what `pack` gave
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function unpack(packed) {
  const [length, count] = new Uint32Array(packed, 0, 2)
  const kept = new Uint32Array(packed, 8, count)
  const whole = new Uint8Array(length)
  const start = 4 * (2 + count)
  for (const [at, page] of kept.entries()) {
    const bytes = Math.min(PAGE, length - page * PAGE)
    whole.set(new Uint8Array(packed, start + at * PAGE, bytes), page * PAGE)
  }
  return whole
}
