/**
 * Start Python from a build's own files as the page's worker does, under Node.js, run the Python
 * program of start_host.py in it and print its answer: `node start_host.mjs BUILD [LIBRARY]`.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { loadPyodide } from 'pyodide'

const [build, library = join(build, 'pyodide', 'python_stdlib.zip')] = process.argv.slice(2)
const wheels = join(build, 'wheels')
const [bytecode, wheel, micropip] = [/\.bin$/, /^leakladder-.*\.whl$/, /^micropip-/].map((form) =>
  readdirSync(wheels).find((name) => form.test(name)),
)
const read = (name) => new Uint8Array(readFileSync(join(wheels, name)))

const pyodide = await loadPyodide({ stdLibURL: library, env: { HOME: '/home/pyodide' } })
pyodide.FS.writeFile('start_host.py', readFileSync(new URL('start_host.py', import.meta.url)))
const host = pyodide.pyimport('start_host')
const extractDir = pyodide.runPython('import sysconfig; sysconfig.get_path("purelib")')
pyodide.unpackArchive(new Uint8Array(gunzipSync(read(bytecode))), 'zip', { extractDir })
pyodide.unpackArchive(read(micropip), 'wheel', { extractDir })
pyodide.FS.writeFile(`/tmp/${wheel}`, read(wheel))
await host.start(`emfs:/tmp/${wheel}`)
process.stdout.write(host.found())
