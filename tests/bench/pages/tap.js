/**
 * Put into every page of the bench before its own scripts: a stop watch that a person's eye would
 * agree with, the worker's calls with their times, files to drop, and the memory of WebAssembly.
 *
 * Times are performance.now(), milliseconds since the page was asked for.
 */

globalThis.bench = (() => {
  const calls = []
  const files = new Map()
  let lastDrop = 0

  /** The time after the paint that follows the moment when `test` first holds. */
  function until(test) {
    return new Promise((resolve, reject) => {
      const look = () => {
        try {
          if (!test()) return
          requestAnimationFrame(() => afterThis(() => resolve(performance.now())))
        } catch (error) {
          reject(error)
        }
        observer.disconnect()
      }
      const observer = new MutationObserver(look)
      const what = { subtree: true, childList: true, attributes: true, characterData: true }
      observer.observe(document, what)
      look()
    })
  }

  function afterThis(go) {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      go()
    }
    port2.postMessage(null)
  }

  // ------------------------------------------------------------ the page's own marks

  const strip = () => document.querySelector('.strip')
  /** Python runs, the files are in, and no check is under way. */
  function isReady() {
    const found = strip()
    if (found?.dataset.tone === 'bad') throw new Error(found.textContent)
    return found?.dataset.tone === 'ok' && !('busy' in found.dataset)
  }

  /** Whether the open panel shows a live result whose stamp has all of these pieces. */
  function isShown(pieces) {
    const panel = document.querySelector('.panel')
    if (!panel || 'stale' in panel.dataset) return false
    const told = [...panel.querySelectorAll('.stamp span')].map((each) => each.textContent)
    return pieces.every((piece) =>
      told.some((each) => each === piece || each.startsWith(`${piece},`)),
    )
  }

  // ------------------------------------------------------------ what a person does

  function hold(name, base64) {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    files.set(name, new File([bytes], name))
  }

  /** Drop files anywhere on the page; returns when. */
  function drop(names) {
    const dataTransfer = new DataTransfer()
    for (const name of names) dataTransfer.items.add(files.get(name))
    lastDrop = performance.now()
    document.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }))
    return lastDrop
  }

  /** Move a slider or choose from a list; returns when. */
  function set(label, value, event = 'input') {
    const control = document.querySelector(`[aria-label="${label}"]`)
    if (!control) throw new Error(`the page has no control ${label}`)
    control.value = String(value)
    if (control.value !== String(value)) throw new Error(`${label} cannot be ${value}`)
    const began = performance.now()
    control.dispatchEvent(new Event(event, { bubbles: true }))
    return began
  }

  /** Press a button by its text; returns when. */
  function press(text) {
    const buttons = [...document.querySelectorAll('button')]
    const found = buttons.find((each) => each.textContent?.includes(text))
    if (!found) throw new Error(`the page has no button ${text}`)
    const began = performance.now()
    found.click()
    return began
  }

  /** Press a button, and another one at once if the page comes to ask with it; returns when. */
  function pressThrough(text, question) {
    const asks = () =>
      [...document.querySelectorAll('button')].some((each) => each.textContent === question)
    void until(asks).then(() => press(question))
    return press(text)
  }

  // ------------------------------------------------------------ the workers' calls

  const post = Worker.prototype.postMessage
  const end = Worker.prototype.terminate
  const heard = new WeakSet()

  Worker.prototype.postMessage = function (message, ...rest) {
    if (!heard.has(this)) {
      heard.add(this)
      this.addEventListener('message', ({ data }) => note(this, data))
    }
    const now = performance.now()
    if (message?.method) {
      const { id, method, params } = message
      const rung = params?.rung ?? ''
      const times = { began: now, told: 0, cancel: 0, end: 0, code: '' }
      calls.push({ worker: this, id, method, rung, summary: null, ...times })
    } else if (message && 'cancel' in message) {
      const call = calls.find((each) => each.worker === this && each.id === message.cancel)
      if (call) call.cancel = now
    }
    return post.call(this, message, ...rest)
  }
  Worker.prototype.terminate = function () {
    for (const call of calls) {
      if (call.worker === this && !call.end) Object.assign(call, { end: performance.now(), code: 'killed' })
    }
    return end.call(this)
  }

  function note(worker, data) {
    const call = calls.find((each) => each.worker === worker && each.id === data?.id)
    if (!call) return
    if ('progress' in data) call.told += 1
    else {
      const summary = call.method === 'run' ? (data.result ?? null) : null
      Object.assign(call, { end: performance.now(), code: data.error?.code ?? 'ok', summary })
    }
  }

  /** What was asked of the workers since a moment, in the order asked. */
  function callsSince(moment) {
    return calls
      .filter(({ began }) => began >= moment)
      .map(({ worker, ...rest }) => rest)
  }

  /** When every call that was made before a moment has been answered, or its worker ended. */
  async function answered(moment) {
    const asked = calls.filter(({ began }) => began <= moment)
    while (asked.some(({ end: ended }) => !ended)) await pause(1)
    return Math.max(moment, ...asked.map(({ end: ended }) => ended))
  }

  /** When nothing has been asked of the workers, or is under way, for a tenth of a second. */
  async function whenIdle() {
    for (;;) {
      const now = await answered(performance.now())
      const count = calls.length
      await pause(100)
      if (calls.length === count) return now
    }
  }

  /** Press Stop as soon as there is one after some milliseconds of work; null if there was none. */
  async function stopAfter(milliseconds) {
    await pause(milliseconds)
    const patience = performance.now() + 1000
    while (![...document.querySelectorAll('.strip button')].some((each) => each.textContent === 'Stop')) {
      if (performance.now() > patience) return null
      await pause(1)
    }
    const pressed = press('Stop')
    const end = await answered(pressed)
    const killed = calls.some((call) => call.code === 'killed')
    return { latency: end - pressed, killed }
  }

  function pause(milliseconds) {
    return new Promise((resolve) => setTimeout(resolve, milliseconds))
  }

  // ------------------------------------------------------------ memory

  const PRELUDE = `{
    const seen = new Set()
    const look = (found) => {
      const { exports = {} } = found.instance ?? found
      for (const each of Object.values(exports)) if (each instanceof WebAssembly.Memory) seen.add(each)
      return found
    }
    for (const name of ['instantiate', 'instantiateStreaming']) {
      const own = WebAssembly[name]
      WebAssembly[name] = (...given) => own.apply(WebAssembly, given).then(look)
    }
    WebAssembly.Memory = new Proxy(WebAssembly.Memory, {
      construct(target, given) {
        const memory = Reflect.construct(target, given)
        seen.add(memory)
        return memory
      },
    })
    self.benchMemory = () => [...seen].reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
  }\n`
  const address = URL.createObjectURL
  URL.createObjectURL = (blob) => {
    const isScript = blob instanceof Blob && blob.type === 'text/javascript'
    return address.call(URL, isScript ? new Blob([PRELUDE, blob], { type: blob.type }) : blob)
  }

  return {
    until,
    isReady,
    isShown,
    hold,
    drop,
    set,
    press,
    pressThrough,
    callsSince,
    sinceDrop: (moment) => moment - lastDrop,
    stopAfter,
    whenIdle,
    ready: until(isReady),
  }
})()
