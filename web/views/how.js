/**
 * From a number to how it is made: a link into the method page, which is part of the build.
 */

import { el } from '../lib/dom.js'

/** @typedef {'exact' | 'normalized' | 'ngrams' | 'rules' | 'meaning' | 'identifier' | 'train' | 'overview' | 'clean' | 'marks' | 'sweep' | 'histogram'} Topic */

/** @type {Record<Topic, string>} section of the method page */
export const SECTIONS = {
  overview: 'ladder',
  exact: 'rows',
  normalized: 'rows',
  identifier: 'rows',
  ngrams: 'ngrams',
  histogram: 'ngrams',
  train: 'ngrams',
  rules: 'rules',
  sweep: 'rules',
  meaning: 'meaning',
  clean: 'flag',
  marks: 'flag',
}

/**
 * @param {Topic} topic
 * @param {string} what is explained, for a screen reader
 */
export function howLink(topic, what) {
  return el(
    'a',
    { class: 'how', href: `method.html#${SECTIONS[topic]}`, target: '_blank', rel: 'noopener' },
    'how',
    el('span', { class: 'unseen' }, `: ${what} (opens the method page)`),
  )
}
