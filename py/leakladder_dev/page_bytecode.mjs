/**
 * Start Pyodide as the page does and compile what it has imported by then:
 * `node page_bytecode.mjs MICROPIP WHEEL BYTECODE STDLIB`, the last two written.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { loadPyodide } from 'pyodide'

const [micropip, wheel, bytecode, stdlib] = process.argv.slice(2)
const env = { PYTHONHASHSEED: '0', PYTHONDONTWRITEBYTECODE: '1' } // sets of text lie in one order
const pyodide = await loadPyodide({ env: { HOME: '/home/pyodide', ...env } })
const extractDir = pyodide.runPython('import sysconfig; sysconfig.get_path("purelib")')
pyodide.unpackArchive(new Uint8Array(readFileSync(micropip)), 'wheel', { extractDir })
const path = `/tmp/${basename(wheel)}`
pyodide.FS.writeFile(path, new Uint8Array(readFileSync(wheel)))
await pyodide.runPythonAsync(`
import micropip
await micropip.install("emfs:${path}", deps=False)
import leakladder.bridge
`)
const loaded = pyodide.runPython(`
import sys
[
    module.__file__
    for module in sys.modules.values()
    if getattr(module, "__file__", None) and module.__spec__.origin != "frozen"
]
`)
for (const name of ['page_bytecode.py', 'page_stdlib.py']) {
  pyodide.FS.writeFile(name, readFileSync(new URL(name, import.meta.url), 'utf-8'))
}
writeFileSync(bytecode, pyodide.pyimport('page_bytecode').pack_bytecode(loaded).toJs())
writeFileSync(stdlib, pyodide.pyimport('page_stdlib').pack_stdlib(loaded).toJs())
