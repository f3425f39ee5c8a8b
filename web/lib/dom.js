/**
 * Elements from values, and one way to bring a live tree up to date with a fresh one.
 *
 * Strings become text nodes, never markup: every text on the page that comes from a file goes
 * through here. Views build a fresh tree for each change; `morph` carries the difference over to the
 * tree that is on the page, so that focus, scroll and a slider being dragged survive.
 */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {(event: any) => void} Listener */

/**
 * `on` holds listeners by event type, `style` custom properties, `key` what tells siblings apart;
 * everything else is an attribute. true sets it empty, false and null leave it out.
 *
 * @typedef {{ on?: Record<string, Listener>, style?: Record<string, string>, key?: string | number, [attribute: string]: unknown }} Props
 */

/** @typedef {HTMLElement & { listeners?: Record<string, Listener>, key?: string, unchanged?: boolean, content?: string, build?: () => HTMLElement }} Live */

/**
 * @param {string} tag
 * @param {Props | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function el(tag, props, ...children) {
  /** @type {Live} */
  const node = document.createElement(tag)
  const { on, style, key, ...attributes } = props ?? {}
  for (const [name, value] of Object.entries(attributes)) setAttribute(node, name, value)
  for (const [name, value] of Object.entries(style ?? {})) node.style.setProperty(name, value)
  if (key !== undefined) node.key = String(key)
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) node.append(...asNodes(child))
  }
  if (on) listen(node, on)
  return node
}

/**
 * Parts of one line with a space between each two, for eyes and for whoever has it read out.
 *
 * @param {...Child} parts
 * @returns {Child[]}
 */
export function apartWords(...parts) {
  return parts.filter(Boolean).flatMap((part, at) => (at > 0 ? [' ', part] : [part]))
}

/**
 * The parts of a form control that attributes do not reach are set as properties.
 *
 * @param {HTMLElement} node
 * @param {string} name
 * @param {unknown} value
 */
function setAttribute(node, name, value) {
  if (value === false || value === null || value === undefined) return
  if (name === 'checked') /** @type {HTMLInputElement} */ (node).checked = true
  node.setAttribute(name, value === true ? '' : String(value))
}

/** More marks on one letter than any writing has; beyond them browsers take quadratic time. */
const LONG_RUN = /\p{M}{200}(?=\p{M})/gu

/**
 * A text as a text node, with an invisible break inside endless runs of marks, of which 50,000 would
 * hold the page up for half a minute.
 *
 * @param {Node | string | number} child
 * @returns {Node[]}
 */
function asNodes(child) {
  if (child instanceof Node) return [child]
  const text = String(child)
  const nodes = []
  let at = 0
  for (const { 0: run, index } of text.matchAll(LONG_RUN)) {
    nodes.push(document.createTextNode(text.slice(at, index + run.length)))
    nodes.push(document.createElement('wbr'))
    at = index + run.length
  }
  return [...nodes, document.createTextNode(text.slice(at))]
}

/**
 * Stands for a part that is on the page already and has not changed: `morph` leaves it as it is.
 *
 * @param {string} tag
 * @param {string | number} key
 */
export function unchanged(tag, key) {
  const node = /** @type {Live} */ (el(tag, { key }))
  node.unchanged = true
  return node
}

/** @type {Set<Live>} parts of the tree that a region is being given, not built so far */
const unbuilt = new Set()

/**
 * A part that is built only where the page does not show it already. For views of a region alone.
 *
 * @param {string} tag of what is built
 * @param {string | number} key
 * @param {string} content all that it is made of: where key and content are those of a part on the
 *   page, that one stays as it is, listeners included
 * @param {() => HTMLElement} build with no such part in it
 * @returns {HTMLElement} which stands for it until then
 */
export function lazily(tag, key, content, build) {
  const node = /** @type {Live} */ (el(tag, { key }))
  Object.assign(node, { content, build })
  unbuilt.add(node)
  return node
}

/** @param {Live} node made by `lazily` */
function built(node) {
  unbuilt.delete(node)
  const { key, content, build } = node
  return Object.assign(/** @type {() => HTMLElement} */ (build)(), { key, content })
}

/**
 * A node that goes onto the page as it is: nothing in it may be left to be built.
 *
 * @param {Node} node
 */
function whole(node) {
  const itself = /** @type {Live} */ (node)
  if (unbuilt.has(itself)) return built(itself)
  for (const part of [...unbuilt]) if (node.contains(part)) part.replaceWith(built(part))
  return node
}

/**
 * One real listener an event type, which looks up the current one: `morph` only swaps the table.
 *
 * @param {Live} node
 * @param {Record<string, Listener>} table
 */
function listen(node, table) {
  for (const type of Object.keys(table)) {
    if (node.listeners && type in node.listeners) continue
    node.addEventListener(type, (event) => node.listeners?.[type]?.(event))
  }
  node.listeners = { ...table }
}

/**
 * Make `live` equal to `fresh` with the fewest changes and return the node that is now in place.
 *
 * @param {Node} live
 * @param {Node} fresh
 * @returns {Node}
 */
export function morph(live, fresh) {
  if (!sameKind(live, fresh)) {
    const now = whole(fresh)
    live.parentNode?.replaceChild(now, live)
    return now
  }
  if (isSame(live, fresh)) return live
  if (live instanceof HTMLElement && fresh instanceof HTMLElement) {
    morphElement(live, unbuilt.has(fresh) ? built(fresh) : fresh)
  } else if (live instanceof Element) {
    if (live.isEqualNode(fresh)) return live // a chart: drawn whole, so exchanged whole
    live.parentNode?.replaceChild(fresh, live)
    return fresh
  } else if (live.nodeValue !== fresh.nodeValue) live.nodeValue = fresh.nodeValue
  return live
}

/**
 * @param {Node} a
 * @param {Node} b
 */
function sameKind(a, b) {
  return a.nodeName === b.nodeName && keyOf(a) === keyOf(b)
}

/**
 * @param {Node} live
 * @param {Node} fresh
 */
function isSame(live, fresh) {
  const { unchanged: kept, content } = /** @type {Live} */ (fresh)
  return kept || (content !== undefined && content === /** @type {Live} */ (live).content)
}

/** @param {Node} node */
function keyOf(node) {
  return /** @type {Live} */ (node).key
}

/**
 * @param {Live} live
 * @param {Live} fresh
 */
function morphElement(live, fresh) {
  morphAttributes(live, fresh)
  if (fresh.listeners) listen(live, fresh.listeners)
  else live.listeners = undefined
  live.content = fresh.content
  morphChildren(live, fresh)
  morphControl(live, fresh)
}

/**
 * `open` belongs to the person, `style` is carried over as properties, which a CSP allows.
 *
 * @param {HTMLElement} live
 * @param {HTMLElement} fresh
 */
function morphAttributes(live, fresh) {
  const names = fresh.getAttributeNames()
  const before = live.getAttributeNames()
  for (const name of names) {
    if (name === 'open' || name === 'style') continue
    const value = /** @type {string} */ (fresh.getAttribute(name))
    if (live.getAttribute(name) !== value) live.setAttribute(name, value)
  }
  for (const name of before) {
    if (name === 'open' || name === 'style') continue
    if (!names.includes(name)) live.removeAttribute(name)
  }
  if (!names.includes('style') && !before.includes('style')) return // asking for it costs most
  if (live.style.cssText !== fresh.style.cssText) live.style.cssText = fresh.style.cssText
}

/**
 * @param {HTMLElement} live
 * @param {HTMLElement} fresh
 */
function morphControl(live, fresh) {
  if (live instanceof HTMLInputElement && fresh instanceof HTMLInputElement) {
    if (live.type === 'file') return
    if (live.checked !== fresh.checked) live.checked = fresh.checked
    if (live.value !== fresh.value) live.value = fresh.value
  } else if (live instanceof HTMLSelectElement && fresh instanceof HTMLSelectElement) {
    if (live.value !== fresh.value) live.value = fresh.value
  }
}

/**
 * @param {HTMLElement} live
 * @param {HTMLElement} fresh
 */
function morphChildren(live, fresh) {
  /** @type {Map<string, Node> | null} */
  let keyed = null
  let at = live.firstChild
  let following = null
  for (let child = fresh.firstChild; child; child = following) {
    following = child.nextSibling // before the child itself goes over
    const key = keyOf(child)
    if (key !== undefined) keyed ??= byKey(live)
    const match = key === undefined ? at : (keyed?.get(key) ?? null)
    if (match && match.parentNode === live && sameKind(match, child)) {
      if (match === at) at = at.nextSibling
      else live.insertBefore(match, at)
      morph(match, child)
    } else live.insertBefore(whole(child), at)
  }
  while (at) {
    const next = at.nextSibling
    at.remove()
    at = next
  }
}

/** @param {Node} parent */
function byKey(parent) {
  /** @type {Map<string, Node>} */
  const found = new Map()
  for (let child = parent.firstChild; child; child = child.nextSibling) {
    const key = keyOf(child)
    if (key !== undefined) found.set(key, child)
  }
  return found
}

/**
 * A place on the page that one view fills. The view runs again only when a property changed.
 *
 * @template {Record<string, any>} P
 * @param {Element} place whose children the view becomes
 * @param {(props: P) => HTMLElement} view
 */
export function region(place, view) {
  /** @type {P | null} */
  let last = null

  /** @param {P} props */
  function update(props) {
    if (last && shallowEqual(last, props)) return
    last = props
    const fresh = view(props)
    const path = focusPath(place)
    if (place.firstElementChild) morph(place.firstElementChild, fresh)
    else place.replaceChildren(whole(fresh))
    unbuilt.clear()
    if (path.length > 0) keepFocus(path)
  }

  return update
}

const FOCUSABLE = 'button, a[href], input, select, textarea, summary, [tabindex="0"]'

/**
 * @param {Element} place
 * @returns {Element[]} what has the focus in a place and what it stands in, innermost first
 */
function focusPath(place) {
  const path = []
  for (let node = document.activeElement; node && place.contains(node); node = node.parentElement) {
    path.push(node)
  }
  return path
}

/**
 * A control that goes away with its own press (clear, dismiss, stop) leaves the focus to what stands
 * nearest, so that a person with a keyboard goes on where they were.
 *
 * @param {Element[]} path
 */
function keepFocus([focused, ...around]) {
  if (focused.isConnected) return
  const near = around.filter((node) => node.isConnected)
  const next = near.map((node) => node.querySelector(FOCUSABLE)).find(Boolean)
  if (next instanceof HTMLElement) next.focus({ preventScroll: true })
}

/**
 * @param {Record<string, unknown>} a
 * @param {Record<string, unknown>} b
 */
export function shallowEqual(a, b) {
  const keys = Object.keys(b)
  return keys.length === Object.keys(a).length && keys.every((key) => Object.is(a[key], b[key]))
}
