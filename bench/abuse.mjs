// Hostile clients: what each attack costs in memory, how late flashblocks and the answers to a quiet client become.
//   npm run bench -- abuse [--only json-numbers,traces] [--seconds 8] [--json] [--flags '--call-workers 0']
// Each attack runs against a fresh node for `--seconds`; a second process subscribes to flashblocks, sends a request
// every 20 ms and four transactions a second, and then looks for the transactions that were acknowledged. `failed`
// counts its requests without a result. An unknown id lists the attacks. Takes 40 minutes. Memory is anonymous
// memory (RssAnon): pages of the database that the system may drop do not count.
import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { DEVELOPMENT_ACCOUNTS } from '../dist/chain/accounts/development-accounts.js'
import { TRIE_CACHE_BYTES } from '../dist/node/tries/trie-messages.js'
import { startNode } from '../scripts/support/node-process.mjs'
import { CALL_ATTACKS } from './abuse/calls.mjs'
import { CONNECTION_ATTACKS } from './abuse/connections.mjs'
import { POOL_ATTACKS } from './abuse/pool.mjs'
import { TEXT_ATTACKS } from './abuse/texts.mjs'
import { signed } from './abuse/transactions.mjs'
import { WEB_SOCKET_ATTACKS } from './abuse/web-sockets.mjs'
import { request } from './support/json-rpc.mjs'
import { printTable } from './support/statistics.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
    /** Further flags of the node. */
    flags: { type: 'string', default: '' },
  },
})
const MEBIBYTE = 2 ** 20
/** Bytes of the caches of trie nodes in two threads: an idle node has not filled them, and any attack may. */
const TRIE_CACHES = 2 * TRIE_CACHE_BYTES
/** Limits of the goals: bytes above idle at the peak and after `RECOVERY`, milliseconds. */
const GOALS = { peak: 400 * MEBIBYTE + TRIE_CACHES, gap: 400, p99: 250, recovery: 16 * MEBIBYTE + TRIE_CACHES }
/** Milliseconds after an attack in which memory has to be returned. */
const RECOVERY = 30_000
const SAMPLE_INTERVAL = 20
const WATCH = fileURLToPath(new URL('./abuse/watch.mjs', import.meta.url))

const ATTACKS = [...TEXT_ATTACKS, ...CALL_ATTACKS, ...CONNECTION_ATTACKS, ...WEB_SOCKET_ATTACKS, ...POOL_ATTACKS]
const wanted = values.only?.split(',')
const unknown = wanted?.filter((id) => !ATTACKS.some((attack) => attack.id === id)) ?? []
const seconds = Number(values.seconds)
if (unknown.length > 0 || !(seconds > 0)) {
  process.stderr.write('usage: --seconds above 0, --only with ids of attacks:\n')
  for (const { id, title } of ATTACKS) process.stderr.write(`  ${id.padEnd(20)} ${title}\n`)
  process.exit(2)
}

function memory(pid) {
  return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
}

/** Sends transactions of the first development account, for attacks that need content. */
function senderOf(port) {
  let nonce = 0n
  return async (members) => {
    const raw = signed(DEVELOPMENT_ACCOUNTS[0], { nonce: nonce++, to: null, ...members })
    return request(port, 'eth_sendRawTransaction', [raw])
  }
}

async function startWatch(port) {
  const child = fork(WATCH, [String(port)])
  const next = () =>
    new Promise((resolve, reject) => {
      child.once('message', resolve)
      child.once('exit', (code) => reject(new Error(`the watch ended with ${code}`)))
    })
  await next()
  return {
    begin: () => child.send('begin'),
    end() {
      const seen = next()
      child.send('end')
      return seen
    },
    kill: () => child.kill('SIGKILL'),
  }
}

/** Samples memory until it is stopped. @returns the largest sample */
function watchMemory(pid) {
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, memory(pid))
  }, SAMPLE_INTERVAL)
  return () => {
    clearInterval(timer)
    return peak
  }
}

async function recoveredMemory(pid, idle) {
  const end = performance.now() + RECOVERY - 5_000
  let now = memory(pid)
  while (now > idle + GOALS.recovery && performance.now() < end) {
    await sleep(500)
    now = memory(pid)
  }
  return now
}

async function measure(attack) {
  const flags = [...(attack.flags ?? []), ...values.flags.split(' ').filter((flag) => flag !== '')]
  const node = await startNode(flags)
  const port = Number(new URL(node.rpc).port)
  const { pid } = node.child
  let watch
  try {
    watch = await startWatch(port)
    const target = { port, seconds, send: senderOf(port) }
    await attack.prepare?.(target)
    await sleep(2_000)
    const idle = memory(pid)
    const peakMemory = watchMemory(pid)
    watch.begin()
    const responses = await attack.run(target)
    await sleep(1_000)
    const seen = await watch.end()
    const peak = peakMemory()
    await sleep(4_000)
    const soon = memory(pid)
    return { id: attack.id, idle, peak, soon, recovered: await recoveredMemory(pid, idle), ...seen, responses }
  } finally {
    watch?.kill()
    node.child.kill('SIGKILL')
    await node.exited
  }
}

function missedGoals({ idle, peak, recovered, gap, p99, failures, acknowledged, lost }) {
  return [
    ...(peak - idle > GOALS.peak ? ['peak'] : []),
    ...(recovered > idle + GOALS.recovery ? ['memory'] : []),
    ...(gap > GOALS.gap ? ['gap'] : []),
    ...(p99 > GOALS.p99 ? ['p99'] : []),
    ...(failures > 0 ? ['failed'] : []),
    ...(acknowledged === 0 ? ['sends'] : []),
    ...(lost > 0 ? ['lost'] : []),
  ]
}

const mebibytes = (bytes) => Math.round(bytes / MEBIBYTE)
const HEADINGS = [
  'attack',
  'idle MiB',
  'peak',
  '5 s',
  '30 s',
  'gap ms',
  'p99 ms',
  'failed',
  'lost',
  'goals',
  'responses',
]

function rowOf(result) {
  const { id, idle, peak, soon, recovered, gap, p99, failures, lost, acknowledged, responses, error } = result
  if (error !== undefined) return [id, ...Array(8).fill('-'), `failed: ${error}`, '']
  const missed = missedGoals(result)
  return [
    id,
    ...[idle, peak, soon, recovered].map(mebibytes),
    Math.round(gap),
    Math.round(p99),
    failures,
    `${lost}/${acknowledged}`,
    missed.length === 0 ? 'reached' : `missed: ${missed.join(', ')}`,
    Object.entries(responses)
      .map(([kind, count]) => `${kind}: ${count}`)
      .join(', '),
  ]
}

const results = []
for (const attack of ATTACKS.filter(({ id }) => wanted === undefined || wanted.includes(id))) {
  process.stderr.write(`${attack.id}: ${attack.title} ...\n`)
  const result = await measure(attack).catch((error) => ({ id: attack.id, error: error.message }))
  results.push({ ...result, missed: result.error === undefined ? missedGoals(result) : ['failed'] })
  process.stderr.write(`  ${rowOf(result).slice(1).join('  ')}\n`)
}
if (values.json) console.log(JSON.stringify(results, undefined, 2))
else printTable([HEADINGS, ...results.map(rowOf)])
process.exit(results.every(({ missed }) => missed.length === 0) ? 0 : 1)
