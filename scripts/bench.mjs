// `npm run bench -- NAME [options]` runs a workload of bench/. Without a name it lists the workloads; with `--help` it
// prints the leading comment of the workload.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare, root } from './prepare.mjs'

const folder = join(root, 'bench')
const fileOf = (name) => join(folder, `${name}.mjs`)

/**
 * Lines of a workload's leading comment: its purpose, `  npm run bench -- NAME [options]`, details.
 */
function introduction(name) {
  const lines = readFileSync(fileOf(name), 'utf8').split('\n')
  const end = lines.findIndex((line) => !line.startsWith('//'))
  return lines.slice(0, end).map((line) => line.slice('// '.length))
}

/** The purpose of a workload. */
function purpose(name) {
  const lines = introduction(name)
  return lines
    .slice(
      0,
      lines.findIndex((line) => line.startsWith('  ')),
    )
    .join(' ')
}

function usage(reason) {
  const names = readdirSync(folder)
    .filter((entry) => entry.endsWith('.mjs'))
    .map((entry) => entry.slice(0, -'.mjs'.length))
  const width = Math.max(...names.map((name) => name.length))
  const lines = [
    ...(reason === undefined ? [] : [reason]),
    'usage: npm run bench -- NAME [options]; NAME --help lists the options',
    ...names.map((name) => `  ${name.padEnd(width)}  ${purpose(name)}`),
  ]
  return `${lines.join('\n')}\n`
}

const [name, ...options] = process.argv.slice(2)
if (name === '--help' || name === '-h') {
  process.stdout.write(usage())
  process.exit()
}
if (name === undefined || !existsSync(fileOf(name))) {
  process.stderr.write(usage(name === undefined ? undefined : `unknown workload '${name}'`))
  process.exit(2)
}
if (options.includes('--help') || options.includes('-h')) {
  process.stdout.write(`${introduction(name).join('\n')}\n`)
  process.exit()
}
prepare()
// On standard error: some workloads write JSON to standard output.
process.stderr.write(`Node ${process.versions.node}, ${process.platform} ${process.arch}\n`)
try {
  await import(pathToFileURL(fileOf(name)).href)
} catch (error) {
  if (!String(error.code).startsWith('ERR_PARSE_ARGS')) throw error
  process.stderr.write(`${error.message}\nnpm run bench -- ${name} --help lists the options\n`)
  process.exit(2)
}
