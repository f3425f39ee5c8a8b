/**
 * A real table of at most one page of rows: sortable heads, one open row, and a pager that says of how
 * many.
 *
 * @import { TablePage } from '../types.d.ts'
 * @import { TableAsk } from '../state.js'
 */

import { el, lazily } from '../lib/dom.js'
import { count } from '../lib/format.js'
import { button } from './controls.js'

/**
 * @template R
 * @typedef {{ id: string, head: string, hint?: string, number?: boolean, sort?: boolean, worst?: boolean, narrow?: boolean, cell: (row: R) => import('../lib/dom.js').Child | import('../lib/dom.js').Child[], beside?: (row: R) => unknown }} Column
 *   `narrow` columns give way on a small screen; the `worst` column is what the default order goes by;
 *   a cell is made of its row and of what is `beside`, as JSON can tell it, and of nothing else
 */

/**
 * @template R
 * @typedef {{ caption: string, columns: Column<R>[], page: TablePage<R>, ask: TableAsk, step: number, selected: number | null, keyOf: (row: R, at: number) => number, quiet?: (row: R) => boolean, disabled: boolean, empty: string, tools: HTMLElement, onOpen?: (key: number) => void, onAsk: (patch: Partial<TableAsk>) => void }} TableProps
 */

/**
 * @template R
 * @param {TableProps<R>} props
 */
export function dataTable(props) {
  const { caption, columns, page, empty } = props
  return el(
    'div',
    { class: 'table-side' },
    props.tools,
    el(
      'div',
      {
        class: 'tablewrap',
        tabindex: '0',
        role: 'region',
        'aria-label': `${caption}, scrollable`,
        key: `wrap-${page.offset}`, // another page starts at its top
      },
      el(
        'table',
        { class: 'data', 'data-opens': props.onOpen !== undefined },
        el('caption', { class: 'unseen' }, caption),
        el('thead', null, el('tr', null, ...columns.map((column) => headCell(column, props)))),
        tableBody(props),
      ),
      page.rows.length === 0 && el('p', { class: 'empty' }, empty),
    ),
    pager(props),
  )
}

/**
 * @template R
 * @param {Column<R>} column
 * @param {TableProps<R>} props
 */
function headCell({ id, head, hint, number, sort, worst, narrow }, { ask, disabled, onAsk }) {
  const active = ask.sort === id || (worst === true && ask.sort === '')
  const props = {
    scope: 'col',
    'data-number': number,
    'data-narrow': narrow,
    title: hint,
    'aria-sort': active ? (ask.descending ? 'descending' : 'ascending') : null,
  }
  if (!sort) return el('th', props, head)
  const descending = active ? !ask.descending : Boolean(number)
  const order = { sort: worst && descending ? '' : id, descending }
  return el(
    'th',
    props,
    el(
      'button',
      {
        type: 'button',
        class: 'sort',
        'aria-disabled': disabled ? 'true' : null,
        on: { click: () => !disabled && onAsk(order) },
      },
      head,
    ),
  )
}

/**
 * Rows that are on the page as they are to be stay: a setting that is moved finds most of them so.
 *
 * @template R
 * @param {TableProps<R>} props
 */
function tableBody({ page, columns, selected, keyOf, quiet, disabled, onOpen }) {
  const rows = page.rows.map((row, at) => {
    const key = keyOf(row, at)
    const current = onOpen !== undefined && key === selected
    const look = { current, quiet: quiet?.(row) ?? false, opens: onOpen !== undefined }
    const beside = columns.map((column) => column.beside?.(row))
    const content = JSON.stringify([row, look, beside])
    return lazily('tr', key, content, () => bodyRow(row, columns, look))
  })
  /** @param {Event & { target: Element }} event */
  const click = ({ target }) => {
    const row = /** @type {import('../lib/dom.js').Live | null} */ (target.closest('tbody > tr'))
    if (row && !disabled) onOpen?.(Number(row.key))
  }
  return el('tbody', { on: onOpen && { click } }, ...rows)
}

/**
 * @template R
 * @param {R} row
 * @param {Column<R>[]} columns
 * @param {{ current: boolean, quiet: boolean, opens: boolean }} look
 */
function bodyRow(row, columns, { current, quiet, opens }) {
  return el(
    'tr',
    { 'aria-current': current ? 'true' : null, 'data-quiet': quiet },
    ...columns.map((column, index) => {
      const body = column.cell(row)
      const props = { 'data-number': column.number, 'data-narrow': column.narrow }
      if (index > 0) return el('td', props, body)
      if (!opens) return el('th', { scope: 'row', ...props }, body)
      const opener = { type: 'button', class: 'opener', 'aria-pressed': String(current) }
      return el('th', { scope: 'row', ...props }, el('button', opener, body))
    }),
  )
}

/**
 * @template R
 * @param {TableProps<R>} props
 */
function pager({ page, step, disabled, onAsk }) {
  const { total, offset, rows } = page
  const last = offset + rows.length
  const text =
    total === 0 ? 'No rows.' : `Rows ${count(offset + 1)} to ${count(last)} of ${count(total)}`
  const one = total <= step
  return el(
    'div',
    { class: 'pager' },
    el('span', null, text),
    !one &&
      el(
        'span',
        { class: 'give' },
        button('Earlier', () => onAsk({ offset: Math.max(0, offset - step) }), {
          disabled: disabled || offset === 0,
        }),
        button('Later', () => onAsk({ offset: offset + step }), {
          disabled: disabled || last >= total,
        }),
      ),
  )
}
