// `npm run test:failover -- --help` describes this program and its options.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnNode } from '../../scripts/support/node-process.mjs'
import { result } from '../crash/client.mjs'
import { startLoad } from '../replica/load.mjs'
import { chainFlags } from '../support/chain-profile.mjs'
import { hasNatsServer } from '../support/nats-server.mjs'
import { seededRandom } from '../support/seeded-random.mjs'
import { startNatsCluster } from './nats-cluster.mjs'
import { values } from './options.mjs'
import { Witness } from './witness.mjs'

/** Target for the median, in milliseconds. */
const GOALS = { leader: 2_000, nats: 8_000 }
/** Milliseconds of undisturbed load before the first round and between rounds. */
const WARM_UP = 3_000
const STEADY_FOR = 2_000
/** Timeout in milliseconds of steps that are not measured. */
const PATIENCE = 60_000
/** Milliseconds of a pause after which `/ready` must have reported it. */
const LONG_PAUSE = 2_500

if (!hasNatsServer) process.exit(0)

const servers = values.servers
const kinds = values.kinds.split(',')
const random = seededRandom(values.seed)
const directory = mkdtempSync(join(tmpdir(), 'tickertape-failover-'))
const chain = chainFlags(values.profile)
const witness = new Witness({ hasFlashblocks: values.profile === 'flashblocks' })
const { faults } = witness
const times = []

const nats = await startNatsCluster(servers, { logs: values.logs })
const nodes = []
let streams = []
try {
  for (const name of ['a', 'b']) nodes.push(await startCandidate(name))
  await leaderAmong(nodes)
  const { hash } = await result(nodes[0].rpc, 'eth_getBlockByNumber', '0x0', false)
  streams = [`tickertape-${hash.slice(2)}`, `KV_tickertape-lease-${hash.slice(2)}`]
  const load = startLoad(
    () => nodes.map(({ rpc }) => rpc),
    random,
    (sent) => witness.acknowledge(sent),
  )
  await pause(WARM_UP)
  for (let round = 1; round <= values.rounds; round += 1) await play(round, kinds[(round - 1) % kinds.length])
  await load.stop()
  await settle()
  finish(load.counts)
} finally {
  for (const { child } of nodes) child.kill('SIGCONT')
  await Promise.all(nodes.map((node) => node.stop()))
  await nats.close()
  rmSync(directory, { recursive: true, force: true })
}

async function startCandidate(name) {
  const flags = [...chain, '--datadir', join(directory, name), '--nats', nats.url, '--nats-replicas', String(servers)]
  const logging = values.verbose ? 'info' : 'silent'
  const node = await spawnNode([...flags, '--failover', '--node-name', name, '--log-level', logging])
  witness.watch(name, node)
  return { ...node, name }
}

async function play(round, kind) {
  await nats.agreed(streams)
  await pause(random() * 1_000)
  const leader = await leaderAmong(nodes)
  const [action, whom] = kind.split('-')
  const isNode = whom !== 'nats'
  const server = whom === 'leader' ? undefined : await nats.leaderOf(streams[0])
  const watching = new AbortController()
  const begun = performance.now()
  if (values.verbose) log({ round, kind, node: isNode ? leader.name : undefined, server })
  if (action !== 'freeze') {
    if (isNode) leader.child.kill(action === 'stop' ? 'SIGTERM' : 'SIGKILL')
    if (server !== undefined) await nats.kill(server)
  } else {
    if (isNode) leader.child.kill('SIGSTOP')
    if (server !== undefined) nats.freeze(server)
  }
  const other = nodes.find((node) => node !== leader)
  const reportedNotReady = watchReady(isNode ? other : leader, watching.signal)
  const took = await witness.pauseSince(begun, { steadyFor: STEADY_FOR, limit: PATIENCE })
  watching.abort()
  if (took === undefined) faults.push(`no flashblock for ${PATIENCE} ms after ${kind} (round ${round})`)
  else {
    times.push({ kind, took })
    if (took > LONG_PAUSE && !(await reportedNotReady))
      faults.push(`/ready did not report the pause of ${kind} (round ${round})`)
  }
  if (action !== 'freeze') {
    if (server !== undefined) nats.start(server)
    if (isNode) {
      await leader.exited
      nodes[nodes.indexOf(leader)] = await startCandidate(leader.name)
    }
  } else {
    if (server !== undefined) nats.thaw(server)
    if (isNode) leader.child.kill('SIGCONT')
  }
  await checked()
  const now = await leaderAmong(nodes)
  process.stderr.write(
    `${round}: ${kind}, announced again after ${Math.round(took)} ms, ${leader.name} led, ${now.name} leads; ${witness.acknowledged} acknowledged, ${faults.length} faults\n`,
  )
}

/** Logs a line in the format of the nodes. */
function log(details) {
  process.stderr.write(`${JSON.stringify({ time: Date.now(), ...details })}\n`)
}

/** Both nodes are ready with one chain. A node that was frozen has discarded unpublished records without a restart. */
async function checked() {
  await until(async () => {
    const [one, two] = await Promise.all(nodes.map(readiness))
    return one.ready && two.ready && one.failover.role !== two.failover.role
  }, 'both nodes are ready, one as leader and one as standby')
  const height = Number(await result(nodes[0].rpc, 'eth_blockNumber'))
  await until(async () => {
    const heights = await Promise.all(nodes.map(({ rpc }) => result(rpc, 'eth_blockNumber')))
    return heights.every((found) => Number(found) > height)
  }, 'both nodes have another block')
  await witness.check(nodes)
}

/** Every acknowledged transaction is included. */
async function settle() {
  await until(
    async () => (await witness.waiting(nodes[0].rpc)).length === 0,
    'every acknowledged transaction is included',
  )
  await checked()
}

async function leaderAmong(candidates) {
  let leader
  await until(async () => {
    const roles = await Promise.all(candidates.map(readiness))
    leader = candidates[roles.findIndex(({ failover }) => failover?.role === 'leader')]
    return leader !== undefined
  }, 'a node leads')
  return leader
}

async function readiness({ rpc }) {
  try {
    return await (await fetch(`${rpc}/ready`, { signal: AbortSignal.timeout(2_000) })).json()
  } catch {
    return { ready: false }
  }
}

async function watchReady(node, signal) {
  let reportedNotReady = false
  while (!signal.aborted && !reportedNotReady) {
    const { ready, reasons } = await readiness(node)
    reportedNotReady = ready === false && reasons !== undefined
    await pause(50)
  }
  return reportedNotReady
}

async function until(isSo, what) {
  const deadline = performance.now() + PATIENCE
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > deadline) {
      const states = (await Promise.all(nodes.map(readiness))).map((state) => JSON.stringify(state))
      throw new Error(`timed out waiting until ${what}; /ready says ${states.join(' and ')}`)
    }
    await pause(50)
  }
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

function finish({ sent, refused, unanswered, unread }) {
  faults.push(...unread.map((lost) => `not found where it was sent: ${lost}`))
  for (const fault of faults.slice(0, 20)) process.stderr.write(`fault: ${fault.slice(0, 1_000)}\n`)
  for (const kind of kinds) {
    const sorted = times
      .filter((one) => one.kind === kind)
      .map(({ took }) => took)
      .sort((one, other) => one - other)
    if (sorted.length === 0) continue
    const median = sorted[Math.floor((sorted.length - 1) / 2)]
    const goal = kind.endsWith('leader') ? GOALS.leader : GOALS.nats
    process.stdout.write(
      `${kind}: announced again after ${Math.round(median)} ms (median of ${sorted.length}), ${Math.round(sorted.at(-1))} ms (worst); goal ${goal} ms ${median <= goal ? 'met' : 'MISSED'}\n`,
    )
  }
  process.stdout.write(
    `rounds ${values.rounds}, NATS servers ${servers}, acknowledged ${witness.acknowledged}, flashblocks seen and kept ${witness.checkedFlashblocks}, blocks the same ${witness.checkedBlocks}; sent ${sent}, refused ${refused}, unanswered ${unanswered}, lost ${count('lost')}, withdrawn ${count('withdrawn')}, faults ${faults.length}\n`,
  )
  process.exitCode = faults.length > 0 ? 1 : 0
}

function count(what) {
  return faults.filter((fault) => fault.startsWith(what)).length
}
