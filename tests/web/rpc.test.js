import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, isCancelled, RemoteError } from '../../web/rpc.js'

/** A client and the far end of its channel, with what arrives there. */
function connect(t) {
  const { port1, port2 } = new MessageChannel()
  t.after(() => {
    port1.close()
    port2.close()
  })
  const seen = []
  let wake = () => {}
  port2.on('message', (message) => {
    seen.push(message)
    wake()
  })
  port1.start()
  const next = async () => {
    while (seen.length === 0) {
      await new Promise((resolve) => {
        wake = resolve
      })
    }
    return seen.shift()
  }
  return { client: createClient(port1), far: port2, next, port1 }
}

test('replies in any order find their calls', async (t) => {
  const { client, far, next } = connect(t)
  const first = client.call('a', { x: 1 })
  const second = client.call('b', null)
  const one = await next()
  const two = await next()
  assert.deepEqual([one.method, one.params, two.method], ['a', { x: 1 }, 'b'])
  far.postMessage({ id: two.id, result: 'second' })
  far.postMessage({ id: one.id, result: 'first' })
  assert.deepEqual(await Promise.all([first, second]), ['first', 'second'])
  assert.equal(client.size(), 0)
})

test('an error comes back with its code and place', async (t) => {
  const { client, far, next } = connect(t)
  const call = client.call('load', {})
  const { id } = await next()
  far.postMessage({ id, error: { code: 'bad-json', message: 'a.jsonl, line 3: no', line: 3 } })
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof RemoteError)
    assert.deepEqual([error.code, error.wire.line], ['bad-json', 3])
    return true
  })
})

test('progress arrives before the result', async (t) => {
  const { client, far, next } = connect(t)
  const steps = []
  const call = client.call('run', {}, { onProgress: (progress) => steps.push(progress.done) })
  const { id } = await next()
  far.postMessage({ id, progress: { phase: 'scan', done: 1, total: 2 } })
  far.postMessage({ id, progress: { phase: 'scan', done: 2, total: 2 } })
  far.postMessage({ id, result: null })
  await call
  assert.deepEqual(steps, [1, 2])
})

test('data is transferred, not copied', async (t) => {
  const { client, far, next } = connect(t)
  const data = new Uint8Array([1, 2, 3])
  const call = client.call('load', {}, { data })
  const { id, data: arrived } = await next()
  assert.deepEqual([...arrived], [1, 2, 3])
  assert.equal(data.byteLength, 0)
  far.postMessage({ id, result: null })
  await call
})

test('abort asks the worker to stop and waits for its word', async (t) => {
  const { client, far, next } = connect(t)
  const abort = new AbortController()
  const call = client.call('run', {}, { signal: abort.signal })
  const { id } = await next()
  abort.abort()
  assert.deepEqual(await next(), { cancel: id })
  assert.equal(client.size(), 1)
  far.postMessage({ id, error: { code: 'cancelled', message: 'stopped' } })
  await assert.rejects(call, isCancelled)
})

test('a call under a signal that is already aborted sends nothing', async (t) => {
  const { client } = connect(t)
  await assert.rejects(client.call('run', {}, { signal: AbortSignal.abort() }), isCancelled)
  assert.equal(client.size(), 0)
})

test('close rejects what is pending and every later call', async (t) => {
  const { client, next } = connect(t)
  const call = client.call('run', {})
  await next()
  client.close(new Error('the worker stopped'))
  await assert.rejects(call, /the worker stopped/)
  await assert.rejects(client.call('run', {}), /the worker stopped/)
})

test('a reply to an unknown call throws', () => {
  let listener = () => {}
  const port = {
    postMessage() {},
    addEventListener: (_, each) => {
      listener = each
    },
    removeEventListener() {},
  }
  createClient(port)
  assert.throws(() => listener({ data: { id: 7, result: null } }), /unknown call 7/)
})
