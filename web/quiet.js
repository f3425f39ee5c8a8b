/**
 * Work that may wait: it is begun when the page has been at rest for a while, and given up as soon
 * as a person wants something, to be begun again later.
 */

const LOOK_MS = 250
const REST_MS = 2_000

/**
 * @param {() => boolean} isBusy
 * @param {(signal: AbortSignal) => Promise<void>} work rejects when it is aborted
 * @returns {Promise<void>} once the work is done
 * @throws whatever the work throws when nobody stopped it
 */
export async function whenQuiet(isBusy, work) {
  for (;;) {
    await rest(isBusy)
    const stop = new AbortController()
    const watch = setInterval(() => isBusy() && stop.abort(), LOOK_MS)
    try {
      return await work(stop.signal)
    } catch (error) {
      if (!stop.signal.aborted) throw error
    } finally {
      clearInterval(watch)
    }
  }
}

/** @param {() => boolean} isBusy */
async function rest(isBusy) {
  for (let quiet = 0; quiet < REST_MS; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    quiet = isBusy() ? 0 : quiet + LOOK_MS
  }
}
