// Measures what each replica costs a sequencer and each subscriber a replica: the input of docs/scale.md.
//   npm run bench -- scale [--transactions 20] [--seconds 10] [--subscribers 1000] [--replicas 8]
import { parseArgs } from 'node:util'
import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { STREAM_VERSION } from '../dist/replication/messages.js'
import { spawnNode, startNode } from '../scripts/support/node-process.mjs'
import { hasNatsServer, startNatsServer } from '../test/support/nats-server.mjs'
import { openCountingSocket } from './support/counting-socket.mjs'
import { request } from './support/json-rpc.mjs'
import { processTime } from './support/process-time.mjs'
import { printTable } from './support/statistics.mjs'
import { createSteadyLoad } from './support/steady-load.mjs'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    transactions: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '10' },
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
/** Milliseconds of load before each measurement, so that earlier work is complete and code is compiled. */
const WARM_UP = 4_000
/** Milliseconds of load before the first measurement of a process, which includes its own warm-up. */
const FIRST_WARM_UP = 25_000
const MANY = String(Math.max(subscribers, followers) + 100)
const ROOM = [
  '--max-sockets',
  '--max-connections',
  '--max-feed-subscribers',
  '--max-feed-subscribers-per-address',
].flatMap((flag) => [flag, MANY])

/** Opens a subscriber of each kind. */
const KINDS = [
  ['newHeads', subscription('newHeads')],
  ['newFlashblockTransactions (hashes)', subscription('newFlashblockTransactions')],
  ['pendingLogs of a token without transfers', subscription('pendingLogs', { address: `0x${'b2'.repeat(20)}` })],
  ['newFlashblocks', subscription('newFlashblocks')],
  ['feed, JSON', ({ ws }) => openCountingSocket(`${ws}/feed`)],
  ['feed, Brotli', ({ ws }) => openCountingSocket(`${ws}/feed?compression=brotli`)],
]

const node = await startNode(['--max-replicas', String(followers)])
const measured = createMeasurement(node)
try {
  await measureSequencer()
  await measureReplica()
} finally {
  await node.stop()
}
if (hasNatsServer) await measureNats()

async function measureSequencer() {
  await measured.load.run(FIRST_WARM_UP)
  const none = await measured(node.child.pid, [])
  const sockets = await Promise.all(Array.from({ length: followers }, () => followStream()))
  const some = await measured(node.child.pid, sockets)
  close(sockets)
  console.log(`\nthe sequencer, ${transactions} transactions in every flashblock\n`)
  printTable([
    ['what', 'processor %', 'KiB/s sent'],
    ['nobody follows', share(none.cpu), ''],
    [`${followers} replicas`, share(some.cpu), rate(some.bytes)],
    ['each replica', share((some.cpu - none.cpu) / followers), rate(some.bytes / followers)],
  ])
}

async function measureReplica() {
  const flags = ['--ephemeral', '--from', `${node.ws}/replica`, ...ROOM]
  const replica = await spawnNode(flags, undefined, 'replica')
  try {
    await measured.load.run(FIRST_WARM_UP)
    const idle = await measured(replica.child.pid, [])
    const head = ['what', 'processor %', 'us/s each', 'us per message', 'messages/s each', 'bytes each', 'KiB/s each']
    const rows = [head, ['nobody listens', share(idle.cpu), '', '', '', '', '']]
    for (const [name, open] of KINDS) {
      const sockets = []
      // One after the other: the rate of concurrent connections is not measured here.
      for (let index = 0; index < subscribers; index += 1) sockets.push(await open(replica))
      const { cpu, messages, bytes } = await measured(replica.child.pid, sockets)
      close(sockets)
      const more = (cpu - idle.cpu) * 1_000
      rows.push([
        name,
        share(cpu),
        (more / subscribers / seconds).toFixed(0),
        messages === 0 ? '' : (more / messages).toFixed(1),
        (messages / subscribers / seconds).toFixed(1),
        messages === 0 ? '' : (bytes / messages).toFixed(0),
        rate(bytes / subscribers),
      ])
    }
    console.log(`\na replica, ${subscribers} subscribers of each kind in turn\n`)
    printTable(rows)
  } finally {
    await replica.stop()
  }
}

/** One NATS server. A cluster of three stores every record three times, at about this cost for each server. */
async function measureNats() {
  const server = await startNatsServer()
  const publisher = await startNode(['--nats', server.url])
  const measuredThere = createMeasurement(publisher)
  const rows = [['what', 'sequencer %', 'server %']]
  const connections = []
  try {
    await measuredThere.load.run(FIRST_WARM_UP)
    for (const count of [0, followers]) {
      while (connections.length < count) connections.push(await consumeStream(server.url))
      const before = processTime(server.pid())
      const { cpu } = await measuredThere(publisher.child.pid, [])
      // `measure` includes the warm-up.
      const serverCpu = ((processTime(server.pid()) - before) * seconds * 1_000) / (seconds * 1_000 + WARM_UP)
      rows.push([`${count} replicas`, share(cpu), share(serverCpu)])
    }
    console.log('\nover NATS\n')
    printTable(rows)
  } finally {
    await Promise.all(connections.map((connection) => connection.close()))
    await publisher.stop()
    await server.close()
  }
}

/** Consumes the stream as a replica does, without decoding records. */
async function consumeStream(url) {
  const connection = await connect({ servers: new URL(url).host })
  const client = jetstream(connection)
  const manager = await client.jetstreamManager()
  const [stream] = await manager.streams.names().next()
  const consumer = await client.consumers.get(stream, { deliver_policy: 'new' })
  await consumer.consume({ max_messages: 64, callback: () => undefined })
  return connection
}

/** Continues the nonces across the measurements of one chain. */
function createMeasurement({ rpc }) {
  const load = createSteadyLoad(Number(new URL(rpc).port), transactions)
  return Object.assign((pid, sockets) => measure(load, pid, sockets), { load })
}

/** @returns cpu: processor time of the process in ms, without start and end; messages and bytes: of all sockets */
async function measure(load, pid, sockets) {
  await load.run(WARM_UP)
  const before = sockets.map(({ counted }) => ({ ...counted }))
  const startCpu = processTime(pid)
  await load.run(seconds * 1_000)
  const cpu = processTime(pid) - startCpu
  const sum = (member) =>
    sockets.reduce((total, { counted }, index) => total + counted[member] - before[index][member], 0)
  const ended = sockets.filter(({ socket }) => socket.destroyed).length
  if (ended > 0) throw new Error(`${ended} of ${sockets.length} connections were closed: nothing was measured`)
  return { cpu, messages: sum('messages'), bytes: sum('bytes') }
}

/** The hello of a replica without records. It reads the whole stream and checks nothing. */
async function followStream() {
  const nodePort = Number(new URL(node.rpc).port)
  const genesis = await request(nodePort, 'eth_getBlockByNumber', ['0x0', false])
  const chainId = { bigint: BigInt(await request(nodePort, 'eth_chainId')).toString() }
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
