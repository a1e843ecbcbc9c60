// `npm run conformance:serve -- --suite DIR --port N` serves the chain of a suite, so that a client can replay the
// requests of the suite. DIR contains `genesis.json` and `chain.rlp` as in ethereum/execution-apis. Further flags go to
// `tickertape start`. Tests pass a compiled program with --program.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare, root } from './prepare.mjs'

const USAGE = `usage: npm run conformance:serve -- --suite DIR [--port N] [flags of start]

Imports DIR/chain.rlp on DIR/genesis.json and serves it with layer-1 rules in the dialect ethereum. No blocks are made.
DIR is a suite in the format of ethereum/execution-apis.

Example:
  $ npm run conformance:serve -- --suite ../execution-apis/tests --port 18545
`

const { suite, program, flags } = parse(process.argv.slice(2))
const genesis = fileOf('genesis.json')
const chain = fileOf('chain.rlp')

if (program === undefined) prepare()
const main = program ?? join(root, 'dist/bundle/main.js')
const datadir = mkdtempSync(join(tmpdir(), 'tickertape-suite-'))
process.on('exit', () => rmSync(datadir, { recursive: true, force: true }))
const { status } = spawnSync(process.execPath, [main, 'import', chain, '--genesis', genesis, '--datadir', datadir], {
  stdio: ['ignore', 2, 2],
})
if (status !== 0) process.exit(status ?? 1)

// A signal to npm must stop the node: npm does not forward every signal, and the child would continue alone.
if (process.env.npm_lifecycle_event === 'conformance:serve') {
  const npm = process.ppid
  setInterval(() => {
    if (process.ppid !== npm) process.kill(process.pid, 'SIGTERM')
  }, 500).unref()
}

process.argv = [
  ...[process.execPath, main, 'start', '--genesis', genesis, '--datadir', datadir],
  ...['--dialect', 'ethereum', '--stand-still', '--finality-depth', '0'],
  // The defaults of go-ethereum, which recorded the responses: time between simulated blocks, gas limit, no limit
  // of logs.
  ...['--block-time', '12000', '--gas-limit', '60000000', '--max-logs', '1000000'],
  ...flags,
]
await import(pathToFileURL(main).href)

/** @param {string[]} args */
function parse(args) {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE)
    process.exit(0)
  }
  const flags = [...args]
  const suite = take(flags, '--suite')
  const program = take(flags, '--program')
  if (suite === undefined) fail(USAGE)
  return { suite: resolve(suite), program: program && resolve(program), flags }
}

/**
 * Removes a flag and its value from the list.
 *
 * @param {string[]} flags
 * @param {string} name
 */
function take(flags, name) {
  const at = flags.indexOf(name)
  return at < 0 ? undefined : flags.splice(at, 2)[1]
}

/** @param {string} name */
function fileOf(name) {
  const path = join(suite, name)
  if (!existsSync(path)) fail(`${suite} is not a suite: it has no ${name}`)
  return path
}

/** @param {string} message */
function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}
