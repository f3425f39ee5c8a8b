// The package inside Pyodide, under Node.js: one JSON request a line in, one JSON answer a line out.
// Used by the fixture `pyodide` in conftest.py.
import { createInterface } from 'node:readline'
import { loadPyodide } from 'pyodide'

const root = process.argv[2]
// Python's own prints must not mix with the answers on standard output.
const say = (line) => process.stderr.write(`${line}\n`)
const pyodide = await loadPyodide({ stdout: say, stderr: say })
for (const [name, folder] of [
  ['/package', `${root}/py`],
  ['/tests', `${root}/tests`],
  ['/data', `${root}/../shared/data`],
]) {
  pyodide.FS.mkdir(name)
  try {
    pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: folder }, name)
  } catch (error) {
    say(`${folder} is not mounted: ${error}`)
  }
}
const answer = pyodide.runPython(`
import importlib, json, sys, traceback
sys.dont_write_bytecode = True
sys.path[:0] = ["/package", "/tests"]

def answer(line):
    request = json.loads(line)
    try:
        function = getattr(importlib.import_module(request["module"]), request["function"])
        return json.dumps({"result": function(*request["arguments"])})
    except BaseException:
        return json.dumps({"error": traceback.format_exc()})
answer
`)
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${answer(line)}\n`)
}
