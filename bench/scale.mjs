// What one more replica costs a sequencer, and one more subscriber a replica: what docs/scale.md reckons with.
//   npm run bench -- scale [--transactions 20] [--seconds 15] [--subscribers 1000] [--replicas 8]
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { STREAM_VERSION } from '../dist/server/replicas/messages.js'
import { spawnNode, startNode } from '../scripts/support/node-process.mjs'
import { openCountingSocket } from './support/counting-socket.mjs'
import { ask } from './support/json-rpc.mjs'
import { processTime } from './support/load.mjs'
import { printTable } from './support/statistics.mjs'
import { createSteadyLoad } from './support/steady-load.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    transactions: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '15' },
    subscribers: { type: 'string', default: '1000' },
    replicas: { type: 'string', default: '8' },
  },
})
const [transactions, seconds, subscribers, followers] = [
  values.transactions,
  values.seconds,
  values.subscribers,
  values.replicas,
].map(Number)
const KIBIBYTE = 1_024
/** Milliseconds under load before each measurement: what was begun has come to rest, and code is compiled. */
const WARM_UP = 4_000
const ROOM = ['--max-sockets', '10000', '--max-connections', '12000', '--max-feed-subscribers', '10000']
const FEED_ROOM = ['--max-feed-subscribers-per-address', '10000', '--max-replicas', '1000']

/** How a subscriber of each kind is opened. */
const KINDS = [
  ['newHeads', subscription('newHeads')],
  ['newFlashblockTransactions (hashes)', subscription('newFlashblockTransactions')],
  ['pendingLogs of a token that is still', subscription('pendingLogs', { address: `0x${'b2'.repeat(20)}` })],
  ['newFlashblocks', subscription('newFlashblocks')],
  ['feed, JSON', ({ ws }) => openCountingSocket(`${ws}/feed`)],
  ['feed, Brotli', ({ ws }) => openCountingSocket(`${ws}/feed?compression=brotli`)],
]

const node = await startNode(FEED_ROOM)
const nodePort = Number(new URL(node.rpc).port)
const load = createSteadyLoad(nodePort, transactions)
let replica
try {
  const none = await measured(node.child.pid, [])
  const following = await Promise.all(Array.from({ length: followers }, () => followStream()))
  const some = await measured(node.child.pid, following)
  close(following)
  console.log(`\nthe sequencer, ${transactions} transactions in every flashblock\n`)
  printTable([
    ['what', 'processor %', 'KiB/s sent'],
    ['nobody follows', share(none.cpu), ''],
    [`${followers} replicas`, share(some.cpu), rate(some.bytes)],
    ['each replica', share((some.cpu - none.cpu) / followers), rate(some.bytes / followers)],
  ])

  replica = await spawnNode(
    ['--ephemeral', '--from', `${node.ws}/replica`, ...ROOM, ...FEED_ROOM],
    undefined,
    'replica',
  )
  const idle = await measured(replica.child.pid, [])
  console.log(`\na replica, ${subscribers} subscribers of each kind in turn\n`)
  const rows = [
    [
      'what',
      'processor %',
      'us/s each',
      'us per message',
      'messages/s each',
      'bytes each',
      'KiB/s each',
      'KiB kept each',
    ],
  ]
  rows.push(['nobody listens', share(idle.cpu), '', '', '', '', ''])
  for (const [name, open] of KINDS) {
    const before = memory(replica.child.pid)
    const sockets = []
    // One after the other: the order in which they come is not what is measured.
    for (let index = 0; index < subscribers; index += 1) sockets.push(await open(replica))
    const kept = (memory(replica.child.pid) - before) / subscribers
    const { cpu, messages, bytes } = await measured(replica.child.pid, sockets)
    close(sockets)
    rows.push([
      name,
      share(cpu),
      (((cpu - idle.cpu) * 1_000) / subscribers / seconds).toFixed(0),
      messages === 0 ? '' : (((cpu - idle.cpu) * 1_000) / messages).toFixed(1),
      (messages / subscribers / seconds).toFixed(1),
      messages === 0 ? '' : (bytes / messages).toFixed(0),
      (bytes / subscribers / seconds / KIBIBYTE).toFixed(1),
      (kept / KIBIBYTE).toFixed(0),
    ])
  }
  printTable(rows)
} finally {
  await replica?.stop()
  await node.stop()
}

/**
 * @returns cpu: ms that the process ran, beginning and end aside; messages and bytes: of all sockets
 */
async function measured(pid, sockets) {
  await load.run(WARM_UP)
  const before = sockets.map(({ counted }) => ({ ...counted }))
  const startCpu = processTime(pid)
  await load.run(seconds * 1_000)
  const cpu = processTime(pid) - startCpu
  const sum = (member) =>
    sockets.reduce((total, { counted }, index) => total + counted[member] - before[index][member], 0)
  const ended = sockets.filter(({ socket }) => socket.destroyed).length
  if (ended > 0) throw new Error(`${ended} of ${sockets.length} connections were ended: nothing was measured`)
  return { cpu, messages: sum('messages'), bytes: sum('bytes') }
}

/** What a replica that has nothing asks for; it reads everything, and checks nothing. */
async function followStream() {
  const genesis = await ask(nodePort, 'eth_getBlockByNumber', ['0x0', false])
  const chainId = { bigint: BigInt(await ask(nodePort, 'eth_chainId')).toString() }
  const hello = { type: 'hello', version: STREAM_VERSION, chainId, genesisHash: genesis.hash }
  return openCountingSocket(`${node.ws}/replica`, JSON.stringify(hello))
}

function subscription(...params) {
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params })
  return ({ ws }) => openCountingSocket(ws, request)
}

function close(sockets) {
  for (const { socket } of sockets) socket.destroy()
}

function share(cpu) {
  return (cpu / (seconds * 10)).toFixed(1)
}

function rate(bytes) {
  return (bytes / seconds / KIBIBYTE).toFixed(1)
}

function memory(pid) {
  return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * KIBIBYTE
}
