/**
 * The command line that does what the page would do, for a file that the page will not read.
 *
 * @import { RungName, Settings } from '../types.d.ts'
 */

/**
 * @param {RungName} rung
 * @param {string} test file name, or a placeholder in capitals
 * @param {string} train
 * @param {Settings} settings
 */
export function commandLine(rung, test, train, settings) {
  const { split } = settings
  const files = split ? [test] : [test, train]
  const words = ['leakladder', rung, ...files.map(fileWord), ...fieldOptions(settings)]
  if (rung === 'ngrams') words.push(...ngramOptions(settings))
  if (rung === 'rows' && settings.strip_articles) words.push('--strip-articles')
  if (rung === 'rules' && settings.rule_n) words.push('--n', String(settings.rule_n))
  if (split) {
    words.push('--split-column', quoted(split.column))
    words.push('--test', quoted(split.test), '--train', quoted(split.train))
  }
  return words.join(' ')
}

/** @param {Settings} settings */
function ngramOptions({ n, threshold, tokens }) {
  const words = ['--n', String(n)]
  if (threshold) words.push('--threshold', String(threshold))
  if (tokens !== 'loose') words.push('--tokens', tokens)
  return words
}

/** @param {Settings} settings */
function fieldOptions({ test_fields, train_fields }) {
  const same = test_fields.join('\n') === train_fields.join('\n')
  if (same) return test_fields.flatMap((path) => ['--field', quoted(path)])
  return [
    ...test_fields.flatMap((path) => ['--test-field', quoted(path)]),
    ...train_fields.flatMap((path) => ['--train-field', quoted(path)]),
  ]
}

/** @param {string} name */
function fileWord(name) {
  return quoted(name.startsWith('-') ? `./${name}` : name)
}

/**
 * One word of a POSIX shell: what is in quotes there is not expanded.
 *
 * @param {string} word
 */
export function quoted(word) {
  if (/^[\w./:@%+=,-]+$/.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}
