/**
 * The saved copy's own files: they stand in the page itself, in script elements that nothing runs, as
 * base64 and mostly gzipped. A large file has several elements, in order: WebKit takes quadratic time
 * to read a long one. The hosted page has no such elements.
 */

/**
 * @param {string} path as in the manifest
 * @returns {HTMLScriptElement[]} its pieces; none where the page is hosted
 */
export function inlinedNodes(path) {
  return [...document.querySelectorAll(`script[data-path="${CSS.escape(path)}"]`)].filter(
    (node) => node instanceof HTMLScriptElement,
  )
}

const saved = inlinedNodes('manifest.json').length > 0 // looked for before anybody takes it out

/** Whether this page is a saved copy. */
export function isSavedCopy() {
  return saved
}

/**
 * Take a file out of the page. The elements are gone afterwards: their text is a third larger than
 * the file, and nobody asks twice.
 *
 * @param {HTMLScriptElement[]} nodes
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function takeInlined(nodes) {
  const packed = new Blob(nodes.map((node) => fromBase64(node.text)))
  for (const node of nodes) node.remove()
  if (nodes[0].dataset.packed !== 'gzip') return new Uint8Array(await packed.arrayBuffer())
  const stream = packed.stream().pipeThrough(new DecompressionStream('gzip'))
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
