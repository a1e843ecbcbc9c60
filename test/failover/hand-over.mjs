// Planned changes of the leader under load. `node test/failover/hand-over.mjs --help` describes the options.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/accounts/development-accounts.js'
import { signTransaction } from '../../dist/chain/transaction/transaction-codec.js'
import { bytesToHex } from '../../dist/primitives/hex.js'
import { spawnNode } from '../../scripts/support/node-process.mjs'
import { request } from '../crash/client.mjs'
import { hasNatsServer } from '../support/nats-server.mjs'
import { programOptions } from '../support/program-options.mjs'
import { startNatsCluster } from './nats-cluster.mjs'
import { Witness } from './witness.mjs'

const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))
const GWEI = 1_000_000_000n
/** Unanswered transactions of an account. */
const MAX_WAITING = 32
/** Timeout in milliseconds of steps that are not measured. */
const PATIENCE = 60_000

const values = programOptions({
  command: 'node test/failover/hand-over.mjs',
  purpose:
    'Runs two failover nodes and a replica on NATS servers, sends transactions through all of them, and hands the\n' +
    'lead over and back with `tickertape cluster transfer`. Every acknowledged transaction must be included, every\n' +
    'flashblock must arrive once and in order at every node, and the blocks must be equal.',
  options: {
    rounds: { value: 'N', default: 10, text: 'Number of hand-overs' },
    rate: { value: 'N', default: 200, text: 'Transactions per second' },
    servers: { value: 'N', default: 1, text: 'NATS servers' },
    verbose: { text: 'Logs of the nodes' },
  },
  examples: ['--rounds 3 --rate 50', '--servers 3'],
})

if (!hasNatsServer) process.exit(0)

const directory = mkdtempSync(join(tmpdir(), 'tickertape-hand-over-'))
const witness = new Witness({ hasFlashblocks: true })
const nats = await startNatsCluster(values.servers)
const nodes = []
try {
  nodes.push(await startCandidate('a'))
  await refuses([], 'no other node answers')
  nodes.push(await startCandidate('b'), await startReplica())
  for (const node of nodes) witness.watch(node.name, node)
  await ready()
  await refuses(['--to', 'c'], 'no node named c answers; those that do: b')
  await refuses(['--to', 'a'], 'a leads already')
  await refuses(['--chain', '1'], 'has no records of chain 1')
  const load = startLoad()
  await pause(2_000)
  const pauses = []
  for (let round = 0; round < values.rounds; round += 1) pauses.push(await handOver())
  await load.stop()
  await until(
    async () => (await witness.waiting(nodes[0].rpc)).length === 0,
    'every acknowledged transaction is included',
  )
  await pause(3_000)
  await witness.check(nodes)
  await checkStatus()
  report(pauses, load)
} finally {
  await Promise.all(nodes.map((node) => node.stop()))
  await nats.close()
  rmSync(directory, { recursive: true, force: true })
}

async function startCandidate(name) {
  const shared = ['--nats', nats.url, '--nats-replicas', String(values.servers), '--failover', '--node-name', name]
  return { ...(await spawnNode([...logging(), '--datadir', join(directory, name), ...shared])), name }
}

async function startReplica() {
  const flags = [...logging(), '--datadir', join(directory, 'replica'), '--from', nats.url]
  return { ...(await spawnNode(flags, undefined, 'replica')), name: 'replica' }
}

function logging() {
  return ['--log-level', values.verbose ? 'info' : 'silent']
}

/** Status by the command is that of the nodes. */
async function checkStatus() {
  const [leader, standby] = await roles()
  const { code, stdout } = await tickertape('cluster', 'status', '--nats', nats.url, '--json')
  const [{ lease, leader: named, nodes: found }] = JSON.parse(stdout)
  const shown = `${code} ${named} ${lease.holder} ${found.map(({ name, role }) => `${name}:${role}`).sort()}`
  const wanted = [`${leader.name}:leader`, `${standby.name}:standby`].sort()
  if (shown !== `0 ${leader.name} ${leader.name} ${wanted}`) witness.faults.push(`status: ${stdout}`)
}

/** A transfer that changes nothing and ends with exit code 1. */
async function refuses(flags, reason) {
  await until(async () => (await readiness(nodes[0])).failover?.role === 'leader', 'the first node leads')
  const { code, stderr } = await tickertape('cluster', 'transfer', '--nats', nats.url, ...flags)
  if (code !== 1 || !stderr.includes(reason)) witness.faults.push(`transfer ${flags.join(' ')}: ${code} ${stderr}`)
  const { failover } = await readiness(nodes[0])
  if (failover.role !== 'leader') witness.faults.push(`transfer ${flags.join(' ')} changed the leader`)
}

/** Sends at a constant rate, whatever the responses are; each account through one node. */
function startLoad() {
  const latencies = []
  const failures = []
  const inFlight = new Set()
  const waiting = DEVELOPMENT_ACCOUNTS.map(() => 0)
  const nonces = DEVELOPMENT_ACCOUNTS.map(() => 0n)
  let turn = 0
  const started = performance.now()
  const timer = setInterval(() => {
    const due = ((performance.now() - started) * values.rate) / 1_000
    while (turn < due) sendNext()
  }, 5)
  return {
    latencies,
    failures,
    async stop() {
      clearInterval(timer)
      await Promise.all(inFlight)
    },
  }

  function sendNext() {
    const index = turn % DEVELOPMENT_ACCOUNTS.length
    turn += 1
    // A node queues 64 transactions of a sender behind a missing one.
    if (waiting[index] >= MAX_WAITING) return
    waiting[index] += 1
    const { privateKey } = DEVELOPMENT_ACCOUNTS[index]
    const { address: to } = DEVELOPMENT_ACCOUNTS[(index + 1) % DEVELOPMENT_ACCOUNTS.length]
    const base = { type: 2, chainId: 31_337n, nonce: nonces[index], value: 1n, data: new Uint8Array(0), accessList: [] }
    nonces[index] += 1n
    const fees = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: 1_000_000n }
    const { raw, hash } = signTransaction({ ...base, ...fees, to, gasLimit: 21_000n }, privateKey)
    const sent = send(nodes[index % nodes.length], bytesToHex(raw), hash).finally(() => {
      waiting[index] -= 1
      inFlight.delete(sent)
    })
    inFlight.add(sent)
  }

  async function send({ name, rpc }, raw, hash) {
    const begun = performance.now()
    try {
      const { error } = await request(rpc, 'eth_sendRawTransaction', raw)
      if (error !== undefined) throw new Error(`${error.code} ${error.message}`)
      witness.acknowledge(hash)
      latencies.push({ begun, took: performance.now() - begun, name })
    } catch (error) {
      failures.push(`${name}: ${error.message}`)
      if (failures.length <= 5) process.stderr.write(`not acknowledged: ${failures.at(-1)}\n`)
    }
  }
}

/** @returns the span of a hand-over until a second after it, and a second without any */
async function handOver() {
  const from = performance.now()
  const [leader, next] = await roles()
  const { code, stderr } = await tickertape('cluster', 'transfer', '--nats', nats.url, '--to', next.name, '--json')
  if (code !== 0) witness.faults.push(`transfer from ${leader.name} to ${next.name} ended with ${code}: ${stderr}`)
  await until(async () => (await readiness(next)).failover?.role === 'leader', `${next.name} leads`)
  await pause(1_000)
  const to = performance.now()
  await pause(1_000)
  await witness.checkFlashblocks(nodes)
  return { from, to, quiet: { from: to, to: performance.now() } }
}

async function roles() {
  const candidates = nodes.slice(0, 2)
  let leading
  await until(async () => {
    const found = await Promise.all(candidates.map(readiness))
    leading = found.findIndex(({ failover }) => failover?.role === 'leader')
    return leading >= 0 && found[1 - leading].failover?.role === 'standby'
  }, 'one node leads and one stands by')
  return [candidates[leading], candidates[1 - leading]]
}

async function tickertape(...args) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (data) => (stdout += data))
  child.stderr.on('data', (data) => (stderr += data))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

async function ready() {
  await until(async () => (await Promise.all(nodes.map(readiness))).every((one) => one.ready), 'all nodes are ready')
}

async function readiness({ rpc }) {
  return await (await fetch(`${rpc}/ready`, { signal: AbortSignal.timeout(2_000) })).json()
}

async function until(isSo, what) {
  const deadline = performance.now() + PATIENCE
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${what}`)
    await pause(20)
  }
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

function report(spans, { latencies, failures }) {
  const { faults } = witness
  faults.push(...failures.map((failure) => `not acknowledged: ${failure}`))
  for (const fault of faults.slice(0, 20)) process.stderr.write(`fault: ${fault.slice(0, 500)}\n`)
  const gap = Math.max(...spans.map((span) => longestGap(witness.arrivals, span)))
  const byNode = nodes.map(
    ({ name }) => `${name} ${Math.round(Math.max(...spans.map((span) => longestGap(witness.arrivalsAt(name), span))))}`,
  )
  const during = latencies.filter(({ begun }) => spans.some(({ from, to }) => begun >= from && begun <= to))
  const worst = Math.max(...during.map(({ took }) => took))
  const lost = faults.filter((fault) => fault.startsWith('lost')).length
  process.stdout.write(
    `hand-overs ${spans.length}, longest gap between flashblocks ${Math.round(gap)} ms (by node: ${byNode.join(', ')}), ` +
      `between hand-overs ${Math.round(Math.max(...spans.map(({ quiet }) => longestGap(witness.arrivals, quiet))))} ms, longest send ${Math.round(worst)} ms, acknowledged ${witness.acknowledged}, ` +
      `flashblocks seen and kept ${witness.checkedFlashblocks}, blocks the same ${witness.checkedBlocks}, ` +
      `lost ${lost}, faults ${faults.length}\n`,
  )
  process.exitCode = faults.length > 0 ? 1 : 0
}

function longestGap(arrivals, { from, to }) {
  const within = arrivals.filter((time) => time >= from - 300 && time <= to)
  return Math.max(...within.slice(1).map((time, index) => time - within[index]))
}
