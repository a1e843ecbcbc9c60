// Blocks of a Denim chain under a steady load: their times by the schedule, their lateness, and what they store.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/accounts/development-accounts.js'
import { spawnNode } from '../../scripts/support/node-process.mjs'
import { request } from './json-rpc.mjs'
import { percentile, printTable } from './statistics.mjs'
import { INTERVAL, signTransfer } from './steady-load.mjs'
import { watchStolenTime } from './stolen-time.mjs'

/** Blocks that are overdue when a node starts come at once; they are not measured. */
const WARM_UP_BLOCKS = 25
const HOUR_MS = 3_600_000
const GOAL_P99_MS = 20

/**
 * @param {{ rate: number, blocks: number }} options transactions per second, and blocks to measure
 * @returns whether all goals were reached
 */
export async function measureDenim({ rate, blocks }) {
  const datadir = mkdtempSync(join(tmpdir(), 'tickertape-cadence-'))
  // Signing takes longer than sending, and would delay the messages whose arrival is measured.
  const raws = Array.from({ length: Math.round((blocks * INTERVAL * rate) / 1_000) }, (_, index) => signTransfer(index))
  const timestamp = Math.floor(Date.now() / 1_000)
  const node = await spawnNode(['--profile', 'denim', '--timestamp', `${timestamp}`, '--datadir', datadir])
  try {
    const heads = await headsOf(node.ws)
    while (heads.length < WARM_UP_BLOCKS) await sleep(INTERVAL)
    heads.length = 0
    const bytesBefore = bytesIn(datadir)
    const { port } = new URL(node.rpc)
    const stolenTime = watchStolenTime()
    await sendEvenly(Number(port), raws, rate)
    const stolen = stolenTime()
    const measured = heads.slice(0, blocks)
    const perHour = ((bytesIn(datadir) - bytesBefore) / (measured.length * INTERVAL)) * HOUR_MS
    const included = await transactionsOf(Number(port))
    return report({ measured, start: timestamp * 1_000, perHour, sent: raws.length, included, stolen })
  } finally {
    await node.stop()
    rmSync(datadir, { recursive: true, force: true })
  }
}

/**
 * Sends transactions one by one at a constant rate, so that they arrive at all times between two blocks.
 *
 * @throws the first error of a send
 */
async function sendEvenly(port, raws, rate) {
  const begun = performance.now()
  const sends = []
  const failures = []
  for (const [index, raw] of raws.entries()) {
    const wait = begun + (index * 1_000) / rate - performance.now()
    if (wait > 0) await sleep(wait)
    if (failures.length > 0) break
    sends.push(request(port, 'eth_sendRawTransaction', [raw]).catch((error) => failures.push(error)))
  }
  await Promise.all(sends)
  if (failures.length > 0) throw failures[0]
}

/** Number, scheduled time and lateness of each block that is announced from now on. */
async function headsOf(url) {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const heads = []
  socket.on('message', (data) => {
    const arrived = performance.timeOrigin + performance.now()
    const { params } = JSON.parse(data.toString())
    if (params === undefined) return
    const { number, timestampMs } = params.result
    heads.push({ number: Number(number), time: Number(timestampMs), lateness: arrived - Number(timestampMs) })
  })
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
  return heads
}

/** Transactions of the development accounts in blocks, once no more are waiting. */
async function transactionsOf(port) {
  const count = async (tag) => {
    const nonces = await Promise.all(
      DEVELOPMENT_ACCOUNTS.map(({ address }) => request(port, 'eth_getTransactionCount', [address, tag])),
    )
    return nonces.reduce((sum, nonce) => sum + Number(nonce), 0)
  }
  for (let attempt = 0; attempt < 50 && (await count('latest')) < (await count('pending')); attempt++) {
    await sleep(INTERVAL)
  }
  return count('latest')
}

/** Bytes on the disk, whatever the sizes of sparse files. */
function bytesIn(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).blocks * 512, 0)
}

function report({ measured, start, perHour, sent, included, stolen }) {
  const gaps = measured.filter(({ number }, index) => index > 0 && number !== measured[index - 1].number + 1).length
  const offSchedule = measured.filter(({ number, time }) => time !== start + INTERVAL * number).length
  const latenesses = measured.map(({ lateness }) => lateness)
  const p99 = percentile(latenesses, 0.99)
  const punctual = latenesses.filter((lateness) => lateness <= GOAL_P99_MS).length / latenesses.length
  printTable([
    ['measure', 'value', 'goal'],
    ['blocks', measured.length, ''],
    ['missing in the sequence', gaps, '0'],
    ['with a time that differs from the schedule', offSchedule, '0'],
    ['lateness of newHeads, p50', `${percentile(latenesses, 0.5).toFixed(1)} ms`, ''],
    ['lateness of newHeads, p99', `${p99.toFixed(1)} ms`, `under ${GOAL_P99_MS} ms`],
    ['lateness of newHeads, max', `${Math.max(...latenesses).toFixed(1)} ms`, ''],
    [`at most ${GOAL_P99_MS} ms late`, `${(100 * punctual).toFixed(1)} %`, 'at least 99 %'],
    ['transactions in blocks', `${included} of ${sent}`, 'all'],
    ['storage per hour', `${(perHour / 2 ** 20).toFixed(0)} MiB`, ''],
    [
      'processor time that other machines took',
      stolen === undefined ? 'unknown' : `${(100 * stolen).toFixed(1)} %`,
      '',
    ],
  ])
  return gaps === 0 && offSchedule === 0 && p99 < GOAL_P99_MS && included === sent
}
