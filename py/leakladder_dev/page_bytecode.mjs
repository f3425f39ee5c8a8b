/** Run page_bytecode.py inside Pyodide: `node page_bytecode.mjs WHEEL OUT`. */

import { readFileSync, writeFileSync } from 'node:fs'
import { loadPyodide } from 'pyodide'

const [wheel, out] = process.argv.slice(2)
const env = { PYTHONHASHSEED: '0', PYTHONDONTWRITEBYTECODE: '1' } // sets of text lie in one order
const pyodide = await loadPyodide({ env: { HOME: '/home/pyodide', ...env } })
const extractDir = pyodide.runPython('import sysconfig; sysconfig.get_path("purelib")')
pyodide.unpackArchive(new Uint8Array(readFileSync(wheel)), 'wheel', { extractDir })
const script = readFileSync(new URL('page_bytecode.py', import.meta.url), 'utf-8')
pyodide.FS.writeFile('page_bytecode.py', script)
const bytes = pyodide.pyimport('page_bytecode').pack_bytecode()
writeFileSync(out, bytes.toJs())
