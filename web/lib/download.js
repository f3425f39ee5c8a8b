/**
 * Hand bytes to the person as a file. The blob's address is taken back once the browser has it.
 */

/**
 * @param {Uint8Array} bytes
 * @param {string} name
 * @param {string} type
 */
export function saveFile(bytes, name, type) {
  const blob = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)], { type })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
