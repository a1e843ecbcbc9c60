// `npm run bench -- NAME [options]`: one workload of bench/.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare, root } from './prepare.mjs'

const [name] = process.argv.slice(2)
const file = join(root, 'bench', `${name}.mjs`)
if (name === undefined || !existsSync(file)) {
  const known = readdirSync(join(root, 'bench')).filter((entry) => entry.endsWith('.mjs'))
  process.stderr.write(`usage: npm run bench -- NAME [options]\n`)
  process.stderr.write(`workloads: ${known.map((entry) => entry.slice(0, -'.mjs'.length)).join(', ')}\n`)
  process.exit(2)
}
prepare()
await import(pathToFileURL(file).href)
