import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { whenQuiet } from '../../web/quiet.js'

/** Let `ms` pass, a quarter second at a time, with everything that waits on promises. @param {number} ms */
async function pass(ms) {
  for (let gone = 0; gone < ms; gone += 250) {
    mock.timers.tick(250)
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
  }
}

/** Work that ends only when it is stopped or told to. */
function slowWork() {
  /** @type {{ begun: number, stopped: number, finish: () => void, work: (signal: AbortSignal) => Promise<void> }} */
  const state = {
    begun: 0,
    stopped: 0,
    finish: () => {},
    work: (signal) => {
      state.begun += 1
      return new Promise((resolve, reject) => {
        state.finish = () => resolve(undefined)
        signal.addEventListener('abort', () => {
          state.stopped += 1
          reject(new Error('stopped'))
        })
      })
    },
  }
  return state
}

test('work begins after two quiet seconds, stops when a person wants something, and begins again', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  let busy = true
  const slow = slowWork()
  const done = whenQuiet(() => busy, slow.work)
  await pass(10_000)
  assert.equal(slow.begun, 0)
  busy = false
  await pass(1_750)
  assert.equal(slow.begun, 0)
  await pass(250)
  assert.equal(slow.begun, 1)
  busy = true
  await pass(250)
  assert.equal(slow.stopped, 1)
  await pass(5_000)
  assert.equal(slow.begun, 1)
  busy = false
  await pass(2_250)
  assert.equal(slow.begun, 2)
  slow.finish()
  await done
  mock.timers.reset()
})

test('a failure of the work itself is told, not tried for ever', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const done = whenQuiet(
    () => false,
    async () => {
      throw new Error('storage is full')
    },
  )
  const told = assert.rejects(done, /storage is full/)
  await pass(2_000)
  await told
  mock.timers.reset()
})
