/**
 * The small parts every view is made of.
 */

import { el } from '../lib/dom.js'

/** @typedef {import('../lib/dom.js').Child} Child */

/**
 * @param {Child | Child[]} label
 * @param {() => void} onPress
 * @param {{ kind?: 'plain' | 'primary' | 'quiet', disabled?: boolean, title?: string, key?: string, label?: string, pressed?: boolean }} [options]
 *   `disabled` keeps the button focusable, so that its reason in `title` can be read
 */
export function button(label, onPress, options = {}) {
  const { kind = 'plain', disabled = false, title, key, label: name, pressed } = options
  return el(
    'button',
    {
      type: 'button',
      class: 'btn',
      'data-kind': kind,
      'aria-disabled': disabled ? 'true' : null,
      'aria-label': name,
      'aria-pressed': pressed === undefined ? null : String(pressed),
      title,
      key,
      on: { click: () => !disabled && onPress() },
    },
    label,
  )
}

/**
 * A short label on a number or a file: "example", "stale".
 *
 * @param {string} text
 * @param {'example' | 'stale' | 'flag' | 'plain'} [tone]
 */
export function tag(text, tone = 'plain') {
  return el('span', { class: 'tag', 'data-tone': tone }, text)
}

/**
 * A list to choose from. The name is on the control itself: a label around a list would take every
 * option into its name.
 *
 * @param {string} label
 * @param {string} value
 * @param {[value: string, text: string][]} choices
 * @param {(value: string) => void} onChange
 */
export function choice(label, value, choices, onChange) {
  const options = choices.map(([each, text]) =>
    el('option', { value: each, selected: each === value }, text),
  )
  const on = { change: (/** @type {any} */ event) => onChange(event.target.value) }
  return el(
    'span',
    { class: 'field' },
    el('span', { class: 'field-name', 'aria-hidden': 'true' }, label),
    el('select', { 'aria-label': label, on }, ...options),
  )
}

/**
 * @param {string} label
 * @param {boolean} checked
 * @param {(on: boolean) => void} onChange
 */
export function toggle(label, checked, onChange) {
  const box = { type: 'checkbox', checked }
  return el(
    'label',
    { class: 'toggle' },
    el('input', { ...box, on: { change: (event) => onChange(event.target.checked) } }),
    el('span', null, label),
  )
}

/**
 * A whole number by slider or by typing; both show the same value.
 *
 * @param {{ name: string, text: string, value: number, min: number, max: number, unit?: string, bad: boolean, onText: (text: string) => void }} props
 *   `text` is what stands in the box, `value` the last one that passed
 */
export function numberControl({ name, text, value, min, max, unit = '', bad, onText }) {
  const type = { on: { input: (/** @type {any} */ event) => onText(event.target.value) } }
  return el(
    'span',
    { class: 'number', 'data-bad': bad },
    el('span', { class: 'field-name', 'aria-hidden': 'true' }, name),
    el('input', { type: 'range', 'aria-label': `${name}, slider`, min, max, value, ...type }),
    el('input', {
      type: 'text',
      inputmode: 'numeric',
      class: 'number-box',
      'aria-label': `${name}, ${min} to ${max}`,
      'aria-invalid': bad ? 'true' : null,
      value: text,
      ...type,
    }),
    unit && el('span', { class: 'unit' }, unit),
    bad && el('span', { class: 'number-bad', role: 'alert' }, `${min} to ${max}`),
  )
}

/**
 * A command or other text to be taken away, with its copy button.
 *
 * @param {string} text
 * @param {string} what for the message: "Copied the command."
 * @param {(text: string, what: string) => void} copy
 */
export function copyLine(text, what, copy) {
  return el(
    'div',
    { class: 'copyline' },
    el('code', { tabindex: '0', 'aria-label': what }, text),
    button('Copy', () => copy(text, what), { label: `Copy ${what}` }),
  )
}

/**
 * A wide thing that scrolls inside itself, by keyboard too.
 *
 * @param {string} label
 * @param {Child} child
 */
export function scroller(label, child) {
  const props = { class: 'tablewrap flat', tabindex: '0', role: 'region' }
  return el('div', { ...props, 'aria-label': `${label}, scrollable` }, child)
}

/**
 * The head of a plain table; columns of numbers stand at their right edge.
 *
 * @param {(string | readonly [head: string, number: boolean])[]} heads
 */
export function headRow(heads) {
  const cells = heads.map((each) => {
    const [head, number] = typeof each === 'string' ? [each, false] : each
    return el('th', { scope: 'col', 'data-number': number }, head)
  })
  return el('thead', null, el('tr', null, ...cells))
}
