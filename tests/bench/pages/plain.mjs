/**
 * What the page's start is held against: Pyodide as its documentation starts it, micropip, the wheel.
 * It is also where the bench runs Python in a browser: `python` is the interpreter.
 */

import { loadPyodide } from './pyodide/pyodide.mjs'

const python = await loadPyodide()
await python.loadPackage('micropip', { messageCallback: () => {} })
const [wheel] = await (await fetch('./wheels.json')).json()
const micropip = python.pyimport('micropip')
await micropip.install(new URL(wheel, location.href).href, { deps: false })
python.pyimport('leakladder.bridge')
document.querySelector('#told').textContent = 'ready'
globalThis.python = python
