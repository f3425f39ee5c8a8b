import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawOncePerFrame } from '../../web/frames.js'

function setUp() {
  const clock = { frames: [], timers: [] }
  let drawn = 0
  const { soon, now } = drawOncePerFrame(() => (drawn += 1), {
    frame: (go) => clock.frames.push(go),
    wait: (go) => clock.timers.push(go),
  })
  return { soon, now, clock, drawn: () => drawn }
}

test('changes before a frame are drawn once', () => {
  const { soon, clock, drawn } = setUp()
  for (let at = 0; at < 5; at += 1) soon()
  assert.deepEqual([clock.frames.length, drawn()], [1, 0])
  clock.frames[0]()
  clock.timers[0]()
  assert.equal(drawn(), 1)
})

test('a tab without frames is drawn too, and an old timer draws nothing', () => {
  const { soon, clock, drawn } = setUp()
  soon()
  clock.timers[0]()
  assert.equal(drawn(), 1)
  soon()
  clock.frames[0]() // of the drawing before
  assert.equal(drawn(), 1)
  clock.frames[1]()
  assert.equal(drawn(), 2)
})

test('what was asked for is drawn at once on request, and not again with its frame', () => {
  const { soon, now, clock, drawn } = setUp()
  now()
  assert.equal(drawn(), 0) // nothing was asked for
  soon()
  now()
  assert.equal(drawn(), 1)
  clock.frames[0]()
  clock.timers[0]()
  assert.equal(drawn(), 1)
})
