// `npm run test:crash -- --help` describes this program and its options.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawnNode } from '../../scripts/support/node-process.mjs'
import { seededRandom } from '../support/seeded-random.mjs'
import { result } from './client.mjs'
import { DevelopmentPromises } from './development.mjs'
import { load } from './load.mjs'
import { values } from './options.mjs'
import { Promises } from './promises.mjs'

const PRELOAD = new URL('./kill-inside.mjs', import.meta.url).href
const CLI = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))
/** Milliseconds within which a node must have killed itself. */
const KILL_LIMIT = 60_000
const SCHEDULE = ['--block-time', '1000', '--flashblock-interval', '100']

const kills = values.kills
/** Milliseconds from the start of a process to its first response, without those in which it waited for a processor. */
const recoveryLimit = values['recovery-limit']
const random = seededRandom(values.seed)
/** Minimum promises per kill, on average. */
const FEWEST = values.dev ? { acknowledged: 10, preconfirmed: 1 } : { acknowledged: 10, preconfirmed: 5 }
const datadir = mkdtempSync(join(tmpdir(), 'tickertape-crash-'))
const promises = values.dev ? new DevelopmentPromises() : new Promises()
let worst = 0
let inside = 0

try {
  for (let kill = 1; kill <= kills; kill += 1) {
    const node = await start()
    await promises.check(node.rpc)
    report(kill)
    const loading = values.dev ? promises.load(node.rpc, random) : load(node, promises, random)
    await killed(node, kill)
    await loading
  }
  const node = await start()
  await promises.check(node.rpc, { all: true })
  await node.stop()
  verify()
} finally {
  rmSync(datadir, { recursive: true, force: true })
}
finish()

async function start() {
  const begun = performance.now()
  // Half of the development nodes build a block for each transaction.
  const mining = values.dev && random() < 0.5 ? ['--mining', 'auto'] : []
  const node = await spawnNode(['--datadir', datadir, ...SCHEDULE, ...mining], PRELOAD)
  await result(node.rpc, 'eth_blockNumber')
  worst = Math.max(worst, performance.now() - begun - processorWait(node.child.pid))
  return node
}

/** Milliseconds in which the main thread of a process was ready and had no processor, because of other work. */
function processorWait(pid) {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
    return Number(nanoseconds) / 1e6
  } catch {
    return 0
  }
}

/** Three of four kills come at a random time, every fourth during a commit or a sync. */
async function killed(node, kill) {
  const isInside = kill % 4 === 0
  await pause((isInside ? 100 : 30) + random() * 700)
  // A slow machine makes fewer promises in that time; kills without any would prove nothing.
  while (promises.acknowledged <= FEWEST.acknowledged * kill || promises.preconfirmed <= FEWEST.preconfirmed * kill) {
    if (node.child.exitCode !== null || node.child.signalCode !== null) break
    await pause(20)
  }
  if (isInside) {
    inside += 1
    node.child.send(kill % 8 === 0 ? 'commit' : 'sync')
  } else node.child.kill('SIGKILL')
  const end = await Promise.race([node.exited, killLimit()])
  if (end !== 'SIGKILL') throw new Error(`the node was to be killed, but it ended otherwise: ${end}`)
}

/** Does not keep this process alive. */
function killLimit() {
  return new Promise((resolve) => setTimeout(resolve, KILL_LIMIT, 'not at all').unref())
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** Verifies every root and hash, and executes the whole chain again from genesis. */
function verify() {
  process.stderr.write('verifying the chain ...\n')
  const { status } = spawnSync(process.execPath, [CLI, 'verify', '--datadir', datadir], { stdio: ['ignore', 2, 2] })
  if (status !== 0) promises.withdrawn.push(`tickertape verify exited with ${status}`)
}

function report(kill) {
  const { acknowledged, preconfirmed, lost, withdrawn } = promises
  process.stderr.write(
    `${kill}/${kills}: ${acknowledged} acknowledged, ${preconfirmed} pre-confirmed, ${lost.length} lost, ${withdrawn.length} withdrawn\n`,
  )
}

function finish() {
  const { acknowledged, preconfirmed, logs, blocks, lost, withdrawn } = promises
  for (const what of lost.slice(0, 10)) process.stderr.write(`lost: ${what}\n`)
  for (const what of withdrawn.slice(0, 10)) process.stderr.write(`withdrawn: ${what}\n`)
  process.stdout.write(
    `kills ${kills} (${inside} inside a commit or sync), acknowledged ${acknowledged}, pre-confirmed ${preconfirmed} (logs ${logs}, sealed blocks seen ${blocks}), lost ${lost.length}, withdrawn ${withdrawn.length}, worst recovery ${Math.round(worst)} ms\n`,
  )
  const isSlow = worst > recoveryLimit
  if (isSlow) process.stderr.write(`a recovery took longer than ${recoveryLimit} ms\n`)
  process.exitCode = lost.length + withdrawn.length > 0 || isSlow ? 1 : 0
}
