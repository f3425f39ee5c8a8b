/**
 * The saved copy's own files: they stand in the page itself, each in a script element that nothing
 * runs, as base64 and mostly gzipped. The hosted page has no such elements.
 */

/**
 * @param {string} path as in the manifest
 * @returns {HTMLScriptElement | null}
 */
export function inlinedNode(path) {
  return document.querySelector(`script[data-path="${CSS.escape(path)}"]`)
}

/** Whether this page is a saved copy; asked before the manifest is taken out, which says so itself. */
export function isSavedCopy() {
  return inlinedNode('manifest.json') !== null
}

/**
 * Take a file out of the page. The element is gone afterwards: its text is a third larger than the
 * file, and nobody asks twice.
 *
 * @param {HTMLScriptElement} node
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function takeInlined(node) {
  const packed = fromBase64(node.text)
  node.remove()
  if (node.dataset.packed !== 'gzip') return packed
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** @param {string} text */
function fromBase64(text) {
  const native = /** @type {{ fromBase64?(text: string): Uint8Array<ArrayBuffer> }} */ (Uint8Array)
  if (native.fromBase64) return native.fromBase64(text)
  const plain = atob(text)
  const bytes = new Uint8Array(plain.length)
  for (let at = 0; at < plain.length; at += 1) bytes[at] = plain.charCodeAt(at)
  return bytes
}
