import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pack, unpack } from '../../web/worker/pages.js'

const PAGE = 4096

/** @param {number} length @param {Record<number, number>} marks byte by place */
function memory(length, marks) {
  const bytes = new Uint8Array(length)
  for (const [at, byte] of Object.entries(marks)) bytes[Number(at)] = byte
  return bytes
}

const CASES = {
  'nothing but zeros': [memory(4 * PAGE, {}), 0],
  'one byte in one page': [memory(4 * PAGE, { [2 * PAGE + 7]: 1 }), 1],
  'first and last byte': [memory(3 * PAGE, { 0: 255, [3 * PAGE - 1]: 9 }), 2],
  'a last page that is short': [memory(2 * PAGE + 16, { [2 * PAGE + 15]: 3 }), 1],
  'every page': [memory(2 * PAGE, { 5: 1, [PAGE]: 2 }), 2],
}

for (const [name, [whole, pages]] of Object.entries(CASES)) {
  test(`${name} comes back as it was`, () => {
    const packed = pack(whole)
    assert.equal(packed.length, 4 * (2 + pages) + pages * PAGE)
    assert.deepEqual(unpack(packed.buffer), whole)
  })
}

test('what is no packed memory is refused or short, never read beyond its end', () => {
  assert.throws(() => unpack(new TextEncoder().encode('not a memory at all, with a hash').buffer))
})
