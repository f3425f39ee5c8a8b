/**
 * The one place that vouches for a script's address, where the browser asks for it (Trusted Types):
 * a blob of this page, or its own service worker. The policy in index.html allows this name only.
 */

const NAME = 'leakladder'

/** @typedef {{ createScriptURL(address: string): string }} Policy */

/** @param {string} address */
function vouch(address) {
  const own = new URL('sw.js', document.baseURI).href
  if (address.startsWith('blob:') || address === own) return address
  throw new TypeError(`not a script of this page: ${address}`)
}

const factory = /** @type {any} */ (globalThis).trustedTypes
/** @type {Policy} */
const policy = factory?.createPolicy(NAME, { createScriptURL: vouch }) ?? { createScriptURL: vouch }

/**
 * @param {string} address of a blob, or `sw.js`
 * @returns {string} what `new Worker` and `register` take, whatever the browser wants there
 */
export function scriptAddress(address) {
  return policy.createScriptURL(new URL(address, document.baseURI).href)
}
