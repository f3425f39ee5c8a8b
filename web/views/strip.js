/**
 * One line between the files and the answer: what the page is doing right now, and Stop. It always
 * takes the same room, so that nothing moves when work starts or ends.
 *
 * @import { Progress } from '../types.d.ts'
 * @import { State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, size } from '../lib/format.js'
import { button } from './controls.js'
import { RUNG_TITLES, RUNGS } from './names.js'

/**
 * @param {{ boot: State['boot'], rungs: State['rungs'], progress: State['progress'], slots: State['slots'], missing: string | null, notice: State['notice'], act: Actions }} props
 */
export function stripView(props) {
  const work = workOf(props)
  return el(
    'div',
    { class: 'strip', 'data-busy': work.busy, 'data-tone': work.tone },
    el('span', { class: 'dot', 'aria-hidden': 'true' }),
    el('span', { class: 'strip-text' }, work.text),
    work.busy && meter(work.progress),
    el(
      'span',
      { class: 'strip-end' },
      work.stop && button('Stop', props.act.stop),
      ...noticeParts(props),
    ),
  )
}

/** @typedef {{ text: string, busy: boolean, stop?: boolean, progress?: Progress | null, tone?: string }} Work */

/**
 * @param {Parameters<typeof stripView>[0]} props
 * @returns {Work}
 */
function workOf({ boot, rungs, progress, slots, missing }) {
  const reading = [slots.test, slots.train].find((slot) => slot.status === 'reading')
  if (boot.status === 'failed') {
    return {
      text: `The checker did not start. ${boot.error?.message ?? ''}`,
      busy: false,
      tone: 'bad',
    }
  }
  if (boot.status !== 'ready') return bootWork(boot)
  if (reading) {
    const text = `Reading ${reading.name}${steps(reading.progress)}`
    return { text, busy: true, stop: true, progress: reading.progress }
  }
  return (
    runWork(rungs, progress) ?? {
      text: missing ?? readyText(boot),
      busy: false,
      tone: missing ? 'wait' : 'ok',
    }
  )
}

/**
 * @param {State['boot']} boot
 * @returns {Work}
 */
function bootWork({ step, done, total }) {
  const bytes = total && done < total ? `, ${size(done)} of ${size(total)}` : ''
  const progress = bytes ? { phase: step, done, total } : null
  return { text: `Getting ready: ${step}${bytes}`, busy: true, progress }
}

/**
 * @param {State['rungs']} rungs
 * @param {State['progress']} progress
 * @returns {Work | null}
 */
function runWork(rungs, progress) {
  const busy = RUNGS.filter((name) => rungs[name].status === 'running')
  const name = busy.find((each) => progress[each] !== null) ?? busy[0]
  if (!name) return null
  const step = progress[name]
  return { text: `${RUNG_TITLES[name]}${steps(step)}`, busy: true, stop: true, progress: step }
}

/** @param {Progress | null} progress */
function steps(progress) {
  if (!progress) return ''
  const { phase, done, total } = progress
  return total ? `: ${phase}, ${count(done)} of ${count(total)}` : `: ${phase}`
}

/** @param {State['boot']} boot */
function readyText({ versions }) {
  if (!versions) return 'Ready'
  return `Ready: leakladder ${versions.leakladder} on Python ${versions.python}, in this tab`
}

/** @param {Progress | null | undefined} progress */
function meter(progress) {
  const known = progress?.total ? { max: progress.total, value: progress.done } : {}
  return el('progress', { 'aria-label': 'Progress', ...known })
}

/** @param {Parameters<typeof stripView>[0]} props */
function noticeParts({ notice, act }) {
  if (!notice) return []
  const text = el('span', { class: 'notice', 'data-tone': notice.tone }, notice.text)
  return [text, button('×', act.dismiss, { kind: 'quiet', label: 'Dismiss this message' })]
}
