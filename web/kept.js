/**
 * The method and licence pages inside a saved copy: there they are sections of the one file, shown
 * in place. On a host they are pages of their own and this does nothing.
 */

import { isSavedCopy } from './inlined.js'

const PAGE = /^([a-z]+\.html)?(?:#(.+))?$/

/** Let links to the pages that a saved copy carries show them. */
export function openKeptPages() {
  if (!isSavedCopy()) return
  document.addEventListener('click', (event) => {
    const link = /** @type {Element} */ (event.target).closest?.('a[href]')
    if (!link) return
    const place = placeOf(link)
    if (!place) return
    event.preventDefault()
    place.section.hidden = false
    const target = place.section.querySelector(`[id="${CSS.escape(place.id)}"]`)
    ;(target ?? place.section).scrollIntoView()
  })
}

/**
 * @param {Element} link
 * @returns {{ section: HTMLElement, id: string } | null}
 */
function placeOf(link) {
  const [, page, id = ''] = PAGE.exec(link.getAttribute('href') ?? '') ?? []
  const section = page
    ? document.querySelector(`[data-page="${page}"]`)
    : link.closest('[data-page]') // a link from one section of a page to another
  return section instanceof HTMLElement ? { section, id } : null
}
