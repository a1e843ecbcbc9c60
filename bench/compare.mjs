// Compares JSON-RPC with the build of another commit, and fails if a row costs more than before.
//   npm run bench -- compare BASE [--only call,receipt,write] [--seconds 5] [--loss 15] [--json]
// Builds BASE, such as `origin/main`, in a temporary worktree, and measures both nodes in turn, request by request as
// `npm run bench -- rpc` does. The cost of a request is that of the node: instructions where the machine counts them
// (`perf stat`), else processor time. A row that costs over `--loss` percent more is measured twice more; the command
// ends with 1 if both confirm it. Takes about five minutes.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { comparedRows, lostRows } from './support/compared-rows.mjs'
import { printTable } from './support/statistics.mjs'

const CONFIRMATIONS = 2
const BENCH = fileURLToPath(new URL('../scripts/bench.mjs', import.meta.url))
const ROOT = fileURLToPath(new URL('..', import.meta.url))

const { values, positionals } = parseArgs({
  args: process.argv.slice(3),
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    loss: { type: 'string', default: '15' },
    json: { type: 'boolean', default: false },
  },
})
const say = (line) => process.stderr.write(`${line}\n`)
function usage(line) {
  say(line)
  process.exit(2)
}

/** Why nothing was measured: the command ends with 2. */
class NotMeasured extends Error {}

const [base] = positionals
if (positionals.length !== 1) usage('name the commit to compare with: npm run bench -- compare origin/main')
if (!(Number(values.loss) > 0)) usage('--loss must be a number of percent above 0')
const loss = Number(values.loss) / 100
const commit = git('rev-parse', '--verify', '--quiet', `${base}^{commit}`)
if (commit === undefined) usage(`${base} is no commit of this repository: fetch it first`)

const folder = mkdtempSync(join(tmpdir(), 'tickertape-compare-'))
const checkout = join(folder, 'base')
try {
  if (git('worktree', 'add', '--detach', checkout, commit) === undefined) {
    throw new NotMeasured(`no worktree of ${base} can be made`)
  }
  build(checkout)
  report(await measureAndConfirm())
} catch (error) {
  if (!(error instanceof NotMeasured)) throw error
  say(error.message)
  process.exitCode = 2
} finally {
  git('worktree', 'remove', '--force', checkout)
  rmSync(folder, { recursive: true, force: true })
}

/** @returns the output, or `undefined` if git fails */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

function build(directory) {
  say(`Building ${base} ...`)
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: directory, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new NotMeasured(`${base} cannot be built`)
}

/** @returns every row, with the smallest of its ratios: only a loss that each measurement shows remains one */
async function measureAndConfirm() {
  const rows = await measure(values.only)
  for (let count = 0; count < CONFIRMATIONS; count++) {
    const lost = lostRows(rows, loss)
    if (lost.length === 0) break
    say(`Measuring again: ${lost.map(({ title }) => title).join('; ')}`)
    for (const again of await measure(lost.map(({ id }) => id).join(','))) {
      const index = rows.findIndex(({ title }) => title === again.title)
      if (again.failure === undefined && !(again.ratio > rows[index]?.ratio)) rows[index] = again
    }
  }
  return rows
}

async function measure(only) {
  const args = [BENCH, 'rpc', '--json', '--peers', 'none', '--against', checkout, '--seconds', values.seconds]
  const rpc = spawn(process.execPath, only === undefined ? args : [...args, '--only', only], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = await text(rpc.stdout)
  try {
    return comparedRows(JSON.parse(output))
  } catch {
    throw new NotMeasured('the measurement ended without a report')
  }
}

function report(rows) {
  if (rows.length === 0)
    throw new NotMeasured('this machine tells neither instructions nor processor time of a process')
  const lost = lostRows(rows, loss)
  if (values.json) console.log(JSON.stringify({ base: commit, loss, rows }, undefined, 2))
  else {
    const cell = ({ ratio, failure }) => failure ?? ratio?.toFixed(2) ?? `fails on ${base}`
    const mark = (row) => (lost.includes(row) ? 'LOST' : '')
    printTable([['cost per request', `to ${base}`, ''], ...rows.map((row) => [row.title, cell(row), mark(row)])])
    console.log(lost.length === 0 ? `no row costs over ${values.loss} % more` : `${lost.length} rows cost more`)
  }
  process.exitCode = lost.length === 0 ? 0 : 1
}
