/**
 * Light, dark or as the system says; remembered where the browser allows it.
 */

/** @typedef {'auto' | 'light' | 'dark'} Theme */

const KEY = 'leakladder-theme'
/** @type {Theme[]} */
const ORDER = ['auto', 'light', 'dark']

/** @param {() => void} onChange */
export function createTheme(onChange) {
  let theme = remembered()
  apply(theme)

  function next() {
    theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length]
    apply(theme)
    remember(theme)
    onChange()
  }

  return { get: () => theme, next }
}

/** @param {Theme} theme */
function apply(theme) {
  if (theme === 'auto') document.documentElement.removeAttribute('data-theme')
  else document.documentElement.setAttribute('data-theme', theme)
}

/** @returns {Theme} */
function remembered() {
  try {
    const kept = /** @type {Theme} */ (localStorage.getItem(KEY))
    return ORDER.includes(kept) ? kept : 'auto'
  } catch {
    return 'auto' // storage is switched off: the choice lasts for this visit
  }
}

/** @param {Theme} theme */
function remember(theme) {
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // storage is switched off: the choice lasts for this visit
  }
}
