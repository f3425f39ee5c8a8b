/**
 * Plain JavaScript that answers one n and nothing else: tokenize both files, index every n-gram of the
 * training rows, walk the test rows. No coverage, no longest run, no pairs, no other n.
 */

const TOKEN = /[\p{L}\p{N}\p{M}]+/gu

/** @param {ArrayBuffer} bytes of JSONL with a column `text` */
function tokenize(bytes) {
  const lines = new TextDecoder().decode(bytes).split('\n')
  return lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).text.toLowerCase().match(TOKEN) ?? [])
}

/** @param {string[]} row @param {number} n */
function* grams(row, n) {
  for (let at = 0; at + n <= row.length; at += 1) yield row.slice(at, at + n).join(' ')
}

/**
 * @param {ArrayBuffer} testBytes
 * @param {ArrayBuffer} trainBytes
 * @param {number} n
 * @returns {number} test rows that share an n-gram with a training row
 */
function countFlagged(testBytes, trainBytes, n) {
  const index = new Set()
  for (const row of tokenize(trainBytes)) for (const gram of grams(row, n)) index.add(gram)
  let flagged = 0
  for (const row of tokenize(testBytes)) {
    for (const gram of grams(row, n)) {
      if (!index.has(gram)) continue
      flagged += 1
      break
    }
  }
  return flagged
}

/** @param {string} test @param {string} train addresses @param {number} n */
globalThis.measure = async (test, train, n) => {
  const sides = await Promise.all([test, train].map(async (url) => (await fetch(url)).arrayBuffer()))
  const began = performance.now()
  const flagged = countFlagged(sides[0], sides[1], n)
  return { flagged, seconds: (performance.now() - began) / 1000 }
}
