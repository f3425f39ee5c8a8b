/**
 * The right side of the top bar: where the files are, examples, theme.
 */

import { el } from '../lib/dom.js'
import { button } from './controls.js'

/**
 * @param {{ theme: 'auto' | 'light' | 'dark', examples: { name: string, title: string }[], onTheme: () => void, onExample: (name: string) => void }} props
 */
export function barView({ theme, examples, onTheme, onExample }) {
  return el(
    'div',
    { class: 'bar-end' },
    el('span', { class: 'here' }, 'Files stay in this tab'),
    examples.length > 0 && exampleMenu(examples, onExample),
    el(
      'a',
      { class: 'bar-link', href: 'method.html', target: '_blank', rel: 'noopener' },
      'Method',
    ),
    button(`Theme: ${theme}`, onTheme, { kind: 'quiet', label: `Theme: ${theme}. Change it` }),
  )
}

/**
 * @param {{ name: string, title: string }[]} examples
 * @param {(name: string) => void} onExample
 */
function exampleMenu(examples, onExample) {
  /** @param {any} event */
  const pick = (event) => {
    if (event.target.value) onExample(event.target.value)
    event.target.value = ''
  }
  return el(
    'select',
    { class: 'quiet-select', 'aria-label': 'Open an example', on: { change: pick } },
    el('option', { value: '', selected: true }, 'Examples'),
    ...examples.map(({ name, title }) => el('option', { value: name }, title)),
  )
}
