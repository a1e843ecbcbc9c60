// Process beside an attack: a subscriber of flashblocks, a quiet client, and a sender of transactions. Started by
// `fork` with the port of the node; answers the message `begin`, and `end` with what it saw in between.
import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/accounts/development-accounts.js'
import { percentile } from '../support/statistics.mjs'
import { signed } from './transactions.mjs'

const port = Number(process.argv[2])
/** Milliseconds between requests of the quiet client, and between transactions. */
const REQUEST_INTERVAL = 20
const SEND_INTERVAL = 250
/** Milliseconds in which acknowledged transactions have to be included. */
const INCLUSION_LIMIT = 20_000

const sender = DEVELOPMENT_ACCOUNTS.at(-1)
const agents = [new Agent({ keepAlive: true, maxSockets: 1 }), new Agent({ keepAlive: true, maxSockets: 1 })]

function rpc(agent, method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', agent, headers }, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        try {
          resolve(JSON.parse(Buffer.concat(chunks).toString()))
        } catch (error) {
          reject(error)
        }
      })
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

let arrivals = []
let latencies = []
let failures = 0
const acknowledged = []
let isOver = false

/** A late response also stands for the requests that were due meanwhile, which would have waited for the rest of it. */
async function requestQuietly() {
  while (!isOver) {
    const start = performance.now()
    try {
      const { error } = await rpc(agents[0], 'eth_getBalance', [sender.address, 'latest'])
      if (error !== undefined) failures++
    } catch {
      failures++
    }
    const latency = performance.now() - start
    for (let rest = latency; rest > 0; rest -= REQUEST_INTERVAL) latencies.push(rest)
    await sleep(Math.max(0, REQUEST_INTERVAL - latency))
  }
}

async function sendTransactions() {
  const { result } = await rpc(agents[1], 'eth_getTransactionCount', [sender.address, 'pending'])
  let nonce = BigInt(result)
  while (!isOver) {
    try {
      const raw = signed(sender, { nonce, maxPriorityFeePerGas: 1_000_000_000n })
      const { result: hash } = await rpc(agents[1], 'eth_sendRawTransaction', [raw])
      if (hash !== undefined) {
        acknowledged.push(hash)
        nonce++
      }
    } catch {
      // Not acknowledged: the same transaction is sent again.
    }
    await sleep(SEND_INTERVAL)
  }
}

async function countLost() {
  const end = performance.now() + INCLUSION_LIMIT
  const missing = new Set(acknowledged)
  while (missing.size > 0 && performance.now() < end) {
    for (const hash of missing) {
      const { result } = await rpc(agents[1], 'eth_getTransactionReceipt', [hash]).catch(() => ({}))
      if (result) missing.delete(hash)
    }
    if (missing.size > 0) await sleep(200)
  }
  return missing.size
}

const socket = new WebSocket(`ws://127.0.0.1:${port}`)
await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newFlashblocks'] }))
await new Promise((resolve) => socket.once('message', resolve))
socket.on('message', () => arrivals.push(performance.now()))
const working = Promise.all([requestQuietly(), sendTransactions()])
process.on('message', async (message) => {
  if (message === 'begin') {
    arrivals = [performance.now()]
    latencies = []
    failures = 0
    return
  }
  arrivals.push(performance.now())
  const gap = Math.max(...arrivals.slice(1).map((at, index) => at - arrivals[index]))
  const p99 = percentile(latencies, 0.99)
  const seen = { gap, p99, failures }
  isOver = true
  await working
  process.send({ ...seen, acknowledged: acknowledged.length, lost: await countLost() }, () => process.exit())
})
process.send('ready')
