/** Write `X.interchange.json` beside each Parquet file named, for the tests of both languages. */

import { readFile, writeFile } from 'node:fs/promises'
import { decodeParquet } from '../../web/worker/parquet.js'

for (const name of process.argv.slice(2)) {
  const bytes = new Uint8Array(await readFile(name))
  const text = await decodeParquet(bytes, { rows: 200_000, unpacked: 32_000_000 })
  await writeFile(`${name}.interchange.json`, `${text}\n`)
}
