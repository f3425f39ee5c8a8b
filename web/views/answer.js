/**
 * The answer: a sentence with its denominators, its figures, and the ladder beside it.
 *
 * @import { NgramSummary, RowsSummary, RulesSummary, TabName } from '../types.d.ts'
 * @import { Rung, State } from '../state.js'
 * @import { Actions } from '../controller.js'
 */

import { el } from '../lib/dom.js'
import { count, percent, plural } from '../lib/format.js'
import { button, tag } from './controls.js'
import { howLink } from './how.js'
import { ladderView } from './ladder.js'
import { meaningHeadline } from './meaning-found.js'
import { SAME_ROWS, verdictRules } from './names.js'
import { actions, overallFigures, overallHeadline, pairsToRead, unjudgedRows } from './overall.js'

/** @typedef {{ lead: string, rest: string, more: string[], figures: Figure[] }} Headline */
/** @typedef {{ name: string, value: string, of: string }} Figure */

/**
 * @param {{ tab: TabName, rungs: State['rungs'], meaning: State['meaning'], stale: Record<string, boolean>, meaningStale: boolean, answerable: Record<string, boolean>, missing: string | null, badSettings: boolean, status: State['boot']['status'], onClean: () => void, act: Actions }} props
 */
export function answerView(props) {
  const { tab, rungs, stale, answerable, missing, badSettings, act } = props
  const name = tab === 'rows' || tab === 'rules' ? tab : 'ngrams'
  const rung = rungs[name]
  const alike = tab === 'meaning' ? props.meaning.result : null
  const old = alike ? props.meaningStale : stale[name]
  return el(
    'div',
    { class: 'answer', 'data-stale': old },
    el(
      'div',
      { class: 'say' },
      alike ? alikeEyebrow(props) : eyebrow(rung, old, missing, badSettings, act),
      ...(alike ? headline(meaningHeadline(alike.summary), 'meaning') : said(name, props)),
      !alike && retry(rung, old, missing, act),
      actions({
        enabled: Object.values(answerable).some(Boolean),
        pairs: pairsToRead(tab, rungs, answerable),
        tab,
        onClean: props.onClean,
        act,
      }),
    ),
    ladderView({ rungs, stale, meaning: props.meaning, tab, act }),
  )
}

/**
 * @param {'rows' | 'ngrams' | 'rules'} name
 * @param {Parameters<typeof answerView>[0]} props
 */
function said(name, { tab, rungs, missing, status }) {
  const { summary, example } = rungs[name]
  const whole = rungs.overview.summary
  if (tab === 'overview' && whole) return headline(overallHeadline(whole, rungs), 'overview')
  if (summary && (tab !== 'overview' || example)) {
    return headline(HEADLINES[name](summary), name === 'rows' ? 'exact' : name)
  }
  return noResult(rungs[name], missing, status, tab === 'overview' ? overallFigures() : [])
}

/**
 * Which files the numbers are of, and whether they are the ones above.
 *
 * @param {Rung} rung
 * @param {boolean} stale
 * @param {string | null} missing
 * @param {boolean} badSettings
 * @param {Actions} act
 */
function eyebrow({ summary, example, names, status }, stale, missing, badSettings, act) {
  if (!summary) return el('p', { class: 'eyebrow' }, '\u00a0')
  const why = staleReason(missing, badSettings, status)
  return eyebrowLine(example, stale && why, names.test, names.train, act)
}

/** @param {Parameters<typeof answerView>[0]} props */
function alikeEyebrow({ meaning: { example, result }, meaningStale, act }) {
  const { test, train } = /** @type {Record<string, { name: string } | undefined>} */ (
    result?.stamp ?? {}
  )
  const why = meaningStale && 'last result, not of the rows or the threshold above'
  return eyebrowLine(example, why, test?.name ?? '', train?.name ?? '', act)
}

/**
 * @param {boolean} example
 * @param {string | false} why the numbers are old, where they are
 * @param {string} test
 * @param {string} train '' where the test file stands alone
 * @param {Actions} act
 */
function eyebrowLine(example, why, test, train, act) {
  return el(
    'p',
    { class: 'eyebrow' },
    example && tag('example', 'example'),
    why && tag(why, 'stale'),
    el(
      'span',
      { class: 'pairing' },
      el('bdi', null, test),
      train && [' against ', el('bdi', null, train)],
    ),
    button('Copy link', act.share, { kind: 'quiet' }),
  )
}

/**
 * @param {string | null} missing
 * @param {boolean} badSettings
 * @param {Rung['status']} status
 */
function staleReason(missing, badSettings, status) {
  if (status === 'running') return 'being recomputed'
  if (missing) return 'last valid result, not of the files above'
  if (badSettings) return 'last valid result, a setting is out of range'
  return status === 'done' ? 'being recomputed' : 'last valid result, not of these settings'
}

/**
 * @param {Headline} headline
 * @param {import('./how.js').Topic} topic
 */
function headline({ lead, rest, more, figures }, topic) {
  return [
    el('h1', null, lead, rest && el('span', { class: 'rest' }, ` ${rest}`)),
    ...more.map((text, at) =>
      el('p', null, text, ' ', at === more.length - 1 && howLink(topic, 'these numbers')),
    ),
    figureTable(figures),
  ]
}

/** @param {Figure[]} figures */
function figureTable(figures) {
  if (figures.length === 0) return null
  return el(
    'table',
    { class: 'figures' },
    el('caption', { class: 'unseen' }, 'Counts behind the answer'),
    el(
      'tbody',
      null,
      ...figures.map(({ name, value, of }) =>
        el(
          'tr',
          null,
          el('th', { scope: 'row' }, name),
          el('td', { class: 'value' }, value),
          el('td', { class: 'of' }, of),
        ),
      ),
    ),
  )
}

/**
 * @param {Rung} rung
 * @param {string | null} missing
 * @param {State['boot']['status']} status
 * @param {Figure[]} coming figures without their values
 */
function noResult({ error, status: run }, missing, status, coming) {
  if (error) {
    return [
      el('h1', null, 'This check could not be made'),
      el('div', { class: 'error', role: 'alert' }, el('p', null, error.message)),
    ]
  }
  if (status === 'failed')
    return [
      el('h1', null, 'The checker did not start'),
      el(
        'p',
        null,
        'The line above says why. Reloading the page tries again; the command line does the same checks.',
      ),
    ]
  if (missing)
    return [
      el('h1', null, 'No result yet'),
      el('p', null, missing),
      firstSteps(),
      figureTable(coming),
    ]
  if (run === 'stopped')
    return [
      el('h1', null, 'Stopped'),
      el('p', null, 'Nothing was computed. The files are still here.'),
    ]
  return [
    el('h1', { class: 'soft' }, 'Checking'),
    el('p', null, 'The first numbers appear here.'),
    figureTable(coming),
  ]
}

function firstSteps() {
  const steps = [
    'Give both files: every check but the one by meaning runs by itself.',
    'Read the pairs: j and k walk through them, 1 to 5 say what each is.',
    'Act on it: a cleaned file, a sentence for your report, the numbers as JSON.',
  ]
  return el('ol', { class: 'first-steps' }, ...steps.map((step) => el('li', null, step)))
}

/**
 * @param {Rung} rung
 * @param {boolean} stale
 * @param {string | null} missing
 * @param {Actions} act
 */
function retry({ status, summary, live, error }, stale, missing, act) {
  const ended = (status === 'stopped' && (stale || !live)) || status === 'failed'
  if (!ended || missing) return null
  return el(
    'div',
    { class: 'give' },
    summary && error && el('p', { class: 'error', role: 'alert' }, error.message),
    button('Run again', act.again, { kind: 'primary' }),
  )
}

/** @type {Record<'ngrams' | 'rows' | 'rules', (summary: any) => Headline>} */
const HEADLINES = { ngrams: ngramHeadline, rows: rowsHeadline, rules: rulesHeadline }

/**
 * @param {NgramSummary} summary
 * @returns {Headline}
 */
function ngramHeadline(summary) {
  const { checkable, flagged, short, blank, stamp } = summary
  const { n, threshold } = stamp
  const apart =
    short + blank === 0 ? 'Every row could be judged.' : `Not judged: ${unjudgedRows(summary)}.`
  const figures = ngramFigures(summary)
  if (checkable === 0) {
    return {
      lead: 'Nothing could be checked',
      rest: '',
      more: [`No row holds ${n} tokens. ${apart}`],
      figures,
    }
  }
  const self = stamp.same_file ? ` ${SAME_ROWS}` : ''
  const rest = `of checkable test rows are flagged: ${count(flagged)} of ${count(checkable)}`
  const bar = threshold ? ` over at least ${threshold}% of its tokens` : ''
  const rule = `Flagged means: the row shares a run of ${n} tokens or more with a training row${bar}.`
  const unseen = 'A rewording or a translation passes this check unseen.'
  return {
    lead: percent(summary.flagged_share),
    rest,
    more: [`${rule} ${apart}${self}${flagged === 0 ? ` ${unseen}` : ''}`],
    figures,
  }
}

/**
 * @param {NgramSummary} summary
 * @returns {Figure[]}
 */
function ngramFigures(summary) {
  const { rows, checkable, flagged, short, blank, stamp } = summary
  const none = checkable === 0
  return [
    {
      name: 'Rows flagged',
      value: none ? 'n/a' : percent(summary.flagged_share),
      of: `${count(flagged)} of ${count(checkable)} checkable`,
    },
    {
      name: 'Tokens dirty overall',
      value: none ? 'n/a' : percent(summary.dirty_share),
      of: `${count(summary.dirty_tokens)} of ${count(summary.tokens)}`,
    },
    { name: 'Rows checkable', value: count(checkable), of: `of ${count(rows)}` },
    { name: `Rows under ${stamp.n} tokens`, value: count(short), of: 'not judged' },
    { name: 'Rows without text', value: count(blank), of: 'not judged' },
    {
      name: 'Training rows that hit',
      value: count(summary.train_rows_hit),
      of: `of ${count(summary.train_rows)}`,
    },
  ]
}

/**
 * @param {RowsSummary} summary
 * @returns {Headline}
 */
function rowsHeadline({ counts, exact, normalized, further, reading }) {
  if (counts.test === 0 || counts.train === 0) {
    return {
      lead: 'Nothing could be checked',
      rest: '',
      more: ['One side has no rows.'],
      figures: [],
    }
  }
  const folded = further.rows
    ? `Folding case, punctuation and spacing reaches ${plural(further.rows, 'further test row')}.`
    : 'Folding case, punctuation and spacing reaches no further test row.'
  return {
    lead: percent(exact.test_share),
    rest: `of test rows stand word for word in training: ${count(exact.test_rows)} of ${count(counts.test)}`,
    more: [`${folded} ${reading.sentence}`],
    figures: [
      {
        name: 'Items in both',
        value: count(exact.items),
        of: `${count(normalized.items)} once folded`,
      },
      {
        name: 'Test rows, exact',
        value: percent(exact.test_share),
        of: `${count(exact.test_rows)} of ${count(counts.test)}`,
      },
      {
        name: 'Test rows, folded',
        value: percent(normalized.test_share),
        of: `${count(normalized.test_rows)} of ${count(counts.test)}`,
      },
      {
        name: 'Training rows, exact',
        value: percent(exact.train_share),
        of: `${count(exact.train_rows)} of ${count(counts.train)}`,
      },
      {
        name: 'Training rows, folded',
        value: percent(normalized.train_share),
        of: `${count(normalized.train_rows)} of ${count(counts.train)}`,
      },
    ],
  }
}

/**
 * @param {RulesSummary} summary
 * @returns {Headline}
 */
function rulesHeadline({ rows, rules, n }) {
  const defined = verdictRules(rules).filter((rule) => rule.defined > 0)
  const figures = rules.map(ruleFigure)
  if (defined.length === 0) {
    const more = ['Every row is shorter than the shortest length that a rule judges.']
    return { lead: 'Nothing could be checked', rest: '', more, figures }
  }
  const shares = defined.map((rule) => rule.share ?? 0)
  const low = percent(Math.min(...shares))
  const high = percent(Math.max(...shares))
  return {
    lead: low === high ? high : `${low} to ${high}`,
    rest: 'of test rows would be called dirty, depending on whose rule is asked',
    more: [
      `The same ${plural(rows, 'row')}, judged by each report's own definition; N is ${n} for the GPT-3 rule.`,
    ],
    figures,
  }
}

/**
 * @param {import('../types.d.ts').RuleColumn} rule
 * @returns {Figure}
 */
function ruleFigure({ title, flagged, defined, share, undefined: apart, expected }) {
  const unjudged = apart ? `, ${count(apart)} not judged` : ''
  if (defined === 0) return { name: title, value: 'n/a', of: 'nothing could be checked' }
  if (expected !== undefined && expected !== null) {
    return {
      name: title,
      value: percent(share),
      of: `${expected.toFixed(1)} rows expected of ${count(defined)}${unjudged}`,
    }
  }
  return {
    name: title,
    value: percent(share),
    of: `${count(flagged)} of ${count(defined)}${unjudged}`,
  }
}
