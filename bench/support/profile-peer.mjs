// A node of ours under another profile, whose chain consists of the same transactions.
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from './json-rpc.mjs'
import { startOurs } from './peers.mjs'
import { rounded } from './rpc-report.mjs'

/** Milliseconds between blocks of Denim. */
const BLOCK_TIME_MS = 200
/** More than the time between blocks of any profile. */
const OVERDUE_MS = 3_000
/** Transactions with which each block begins. */
const SYSTEM_TRANSACTIONS = { op: 1, denim: 2 }
/** Rate relative to the default profile. */
const GOAL = 0.85
/** Rows of the newest or the open block, which Denim replaces five times a second. */
const isOfNewest = ({ stage }) => stage !== undefined

/**
 * Makes a chain of the given blocks, one after the other, and starts a node on it that makes blocks on schedule.
 *
 * @param {{ profile: string, datadir: string, gasLimit: bigint, cpu?: string }} options
 * @param {{ raw: string }[][]} blocks
 */
export async function startProfile({ profile, ...options }, blocks) {
  // The chain ends about now, so that few blocks are overdue when the schedule begins.
  const timestamp = Math.floor((Date.now() - blocks.length * BLOCK_TIME_MS) / 1_000)
  const flags = ['--profile', profile, '--timestamp', `${timestamp}`]
  const maker = await startOurs({ ...options, flags: [...flags, '--mining', 'manual'] })
  for (const transactions of blocks) {
    await maker.submit(transactions)
    await request(maker.port, 'evm_mine')
  }
  await maker.stop()
  const node = await startOurs({ ...options, flags })
  while (await isOverdue(node.port)) await sleep(BLOCK_TIME_MS)
  return { ...node, name: profileName(profile), systemTransactions: SYSTEM_TRANSACTIONS[profile] }
}

/** Whether blocks are late, because making the chain took longer than its time. They come at once after the start. */
async function isOverdue(port) {
  const { timestamp, timestampMs } = await request(port, 'eth_getBlockByNumber', ['latest', false])
  return Number(timestampMs ?? BigInt(timestamp) * 1_000n) < Date.now() - OVERDUE_MS
}

function profileName(profile) {
  return `Tickertape, ${profile}`
}

/** Rows that can be measured under every profile: instead of the newest block, the same block by its number. */
export function rowsByNumber(rows, { fullNumber }) {
  const byNumber = rows
    .filter(({ id }) => id === 'latestHashes' || id === 'latestFull')
    .map((row) => ({
      ...row,
      id: row.id.replace('latest', 'number'),
      title: row.title.replace('latest', 'by number'),
      calls: row.calls.map(([method, [, isFull]]) => [method, [`0x${fullNumber.toString(16)}`, isFull]]),
      stage: undefined,
    }))
  return [...rows.filter((row) => !isOfNewest(row)), ...byNumber]
}

/** Rates and processor times of the default profile and another one. @returns whether all goals were reached */
export function profileReport(rows, profile) {
  const [mine, theirs] = ['Tickertape', profileName(profile)]
  const compared = rows.map(({ title, results }) => {
    const [one, other] = [results[mine] ?? {}, results[theirs] ?? {}]
    return { title, one, other, ratio: (other.rate ?? 0) / (one.rate ?? Number.NaN) }
  })
  const lines = [
    ['responses per second', mine, 'CPU us', theirs, 'CPU us', 'ratio', `goal ${GOAL}`],
    ...compared.map(({ title, one, other, ratio }) => [
      title,
      ...[one, other].flatMap(({ rate, cpu }) => [rounded(rate), rounded(cpu)]),
      ratio.toFixed(2),
      ratio >= GOAL ? 'reached' : 'MISSED',
    ]),
  ]
  return { lines, isReached: compared.every(({ ratio }) => ratio >= GOAL) }
}
