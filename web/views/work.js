/**
 * The tabs and the open one's panel.
 *
 * @import { LookName, RungName, TabName } from '../types.d.ts'
 * @import { State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el, shallowEqual, unchanged } from '../lib/dom.js'
import { count } from '../lib/format.js'
import { tag } from './controls.js'
import { meaningView } from './meaning.js'
import { TAB_TITLES, TABS, verdictRules } from './names.js'
import { ngramsView } from './ngrams.js'
import { overviewView } from './overview.js'
import { rowsView } from './rows.js'
import { rulesView } from './rules.js'
import { trainView } from './train.js'

/**
 * @typedef {{ tab: TabName, rungs: State['rungs'], stale: Record<LookName, boolean>, answerable: Record<LookName, boolean>, settings: State['settings'], drafts: State['drafts'], bad: string[], withText: boolean, open: number[], marks: State['marks'], meaning: State['meaning'], meaningGap: string | null, meaningStale: boolean, narrow: boolean, workers: number, step: number, onClean: () => void, act: Actions }} WorkProps
 */

/** A view that draws the open panel only where something it shows has changed. */
export function createWorkView() {
  /** @type {Record<string, unknown> | null} what the panel was drawn of */
  let last = null
  /** @param {WorkProps} props */
  return (props) => {
    const shown = { tab: props.tab, ...PANEL_PROPS[props.tab](props) }
    const same = last !== null && shallowEqual(last, shown)
    last = shown
    return workView(props, same ? unchanged('div', props.tab) : panelView(props.tab, shown))
  }
}

/**
 * @param {WorkProps} props
 * @param {HTMLElement} panel
 */
function workView(props, panel) {
  const { tab, act } = props
  return el(
    'div',
    { class: 'work' },
    el(
      'div',
      { class: 'tabbar' },
      el(
        'div',
        {
          class: 'tabs',
          role: 'tablist',
          'aria-label': 'Checks',
          on: { keydown: (event) => arrowTabs(event, tab, act) },
        },
        ...TABS.map((name) => tabButton(name, props)),
      ),
      ...panelTags(props),
    ),
    panel,
  )
}

/**
 * @param {TabName} tab
 * @param {any} props as `PANEL_PROPS` has them
 */
function panelView(tab, props) {
  return el(
    'div',
    {
      class: 'tabpanel',
      role: 'tabpanel',
      id: `panel-${tab}`,
      'aria-labelledby': `tab-${tab}`,
      key: tab,
    },
    PANELS[tab](props),
  )
}

/**
 * The same word on the numbers here as on the answer above.
 *
 * @param {WorkProps} props
 */
function panelTags({ tab, rungs, stale }) {
  if (tab === 'meaning') return []
  const name = tab === 'overview' || tab === 'train' ? 'ngrams' : tab
  return [rungs[name].example && tag('example', 'example'), stale[name] && tag('outdated', 'stale')]
}

/** @type {Record<TabName, (props: any) => HTMLElement>} each of its `PANEL_PROPS` */
const PANELS = {
  overview: overviewView,
  rows: rowsView,
  ngrams: ngramsView,
  rules: rulesView,
  meaning: meaningView,
  train: trainView,
}

/** @type {Record<TabName, (props: WorkProps) => Record<string, unknown>>} what each panel shows */
const PANEL_PROPS = {
  overview: (props) => props,
  rows: (props) => panelProps('rows', props),
  ngrams: (props) => panelProps('ngrams', props),
  rules: (props) => panelProps('rules', props),
  meaning: ({ meaningGap: gap, meaningStale: stale, ...props }) => ({ ...props, gap, stale }),
  train: ({ rungs, stale, answerable, step, act }) => ({
    rung: rungs.train,
    source: rungs.ngrams,
    stale: stale.train,
    answerable: answerable.train,
    step,
    act,
  }),
}

/**
 * @param {RungName} name
 * @param {WorkProps} props
 */
function panelProps(name, { rungs, stale, answerable, ...rest }) {
  return { ...rest, rung: rungs[name], stale: stale[name], answerable: answerable[name] }
}

/**
 * @param {TabName} name
 * @param {WorkProps} props
 */
function tabButton(name, { tab, rungs, meaning, act }) {
  const selected = name === tab
  const found = name === 'meaning' ? meaningCount(meaning) : tabCount(name, rungs)
  return el(
    'button',
    {
      type: 'button',
      role: 'tab',
      id: `tab-${name}`,
      class: 'tab',
      key: name,
      'aria-selected': String(selected),
      'aria-controls': selected ? `panel-${name}` : null,
      tabindex: selected ? '0' : '-1',
      on: { click: () => act.openTab(name) },
    },
    TAB_TITLES[name],
    ' ',
    found !== null && el('span', { class: 'tab-count' }, found),
  )
}

/**
 * @param {TabName} name
 * @param {State['rungs']} rungs
 */
function tabCount(name, { rows, ngrams, rules }) {
  if (name === 'train') return ngrams.summary ? count(ngrams.summary.train_rows_hit) : '–'
  if (name === 'rows') return rows.summary ? count(rows.summary.normalized.test_rows) : '–'
  if (name === 'ngrams') return ngrams.summary ? count(ngrams.summary.flagged) : '–'
  if (name === 'rules') {
    return rules.summary
      ? count(Math.max(0, ...verdictRules(rules.summary.rules).map((rule) => rule.flagged)))
      : '–'
  }
  return null
}

/** @param {State['meaning']} meaning */
function meaningCount({ result }) {
  if (!result) return 'not run'
  const { across, rows_in_groups: inside = 0 } = result.summary
  return count(across ? across.reads_alike : inside)
}

/**
 * @param {KeyboardEvent} event
 * @param {TabName} open
 * @param {Actions} act
 */
function arrowTabs(event, open, act) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (!by) return
  event.preventDefault()
  const next = TABS[(TABS.indexOf(open) + by + TABS.length) % TABS.length]
  act.openTab(next)
  document.getElementById(`tab-${next}`)?.focus()
}

/**
 * A tab that is opened again shows the row that was read there; the page itself does not move.
 *
 * @param {Element} place
 */
export function showOpenRow(place) {
  const row = place.querySelector('.table-side tr[aria-current="true"]')
  const wrap = row?.closest('.tablewrap')
  if (!(row instanceof HTMLElement) || !wrap) return
  if (row.offsetTop + row.offsetHeight > wrap.clientHeight) {
    wrap.scrollTop = row.offsetTop - wrap.clientHeight / 2
  }
}
