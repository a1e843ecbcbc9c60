// A chain with everything that a node stores, and what a sound node says about it.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { spawnNode } from '../../scripts/support/node-process.mjs'
import { result } from '../crash/client.mjs'
import { load } from '../crash/load.mjs'
import { Promises } from '../crash/promises.mjs'

export const FLAGS = ['--block-time', '1000', '--flashblock-interval', '100', '--call-workers', '0']

/** Requests in one batch. */
const BATCH = 100

/**
 * Makes a data directory and an older copy of it.
 *
 * @returns the requests and the responses of the sound node
 */
export async function makeReference({ datadir, older, blocks }, random) {
  await grow(datadir, Math.ceil(blocks / 2), random)
  cpSync(join(datadir, 'main'), older, { recursive: true })
  const promises = await grow(datadir, blocks, random)
  rmSync(join(datadir, 'main', 'lock'), { force: true })
  const copy = `${datadir}.answers`
  cpSync(datadir, copy, { recursive: true })
  const node = await spawnNode(['--datadir', copy, ...FLAGS])
  try {
    const requests = await questions(node.rpc, promises)
    return { requests, responses: await ask(node.rpc, requests) }
  } finally {
    await node.stop()
    rmSync(copy, { recursive: true, force: true })
  }
}

async function grow(datadir, blocks, random) {
  const node = await spawnNode(['--datadir', datadir, ...FLAGS])
  const promises = new Promises()
  const loading = load(node, promises, random)
  while (Number(await result(node.rpc, 'eth_blockNumber')) < blocks) await pause(100)
  await node.stop()
  await loading
  return promises
}

/** Everything about all stored blocks, transactions and accounts, by methods that read different tables. */
async function questions(rpc) {
  const newest = Number(await result(rpc, 'eth_blockNumber'))
  const requests = []
  const addresses = new Set()
  for (let number = 0; number <= newest; number++) {
    const height = `0x${number.toString(16)}`
    const block = await result(rpc, 'eth_getBlockByNumber', height, true)
    requests.push(['eth_getBlockByNumber', height, true])
    requests.push(['eth_getBlockByHash', block.hash, false])
    requests.push(['eth_getBlockReceipts', height])
    requests.push(['eth_getLogs', { fromBlock: height, toBlock: height }])
    for (const { hash, from, to } of block.transactions) {
      requests.push(['eth_getTransactionReceipt', hash], ['eth_getTransactionByHash', hash])
      addresses.add(from)
      if (to !== null) addresses.add(to)
    }
  }
  const tip = `0x${newest.toString(16)}`
  requests.push(['eth_getLogs', { fromBlock: '0x0', toBlock: tip }])
  for (const address of addresses) {
    for (let number = newest; number >= 0; number -= Math.ceil(newest / 8)) {
      const height = `0x${number.toString(16)}`
      requests.push(['eth_getBalance', address, height], ['eth_getTransactionCount', address, height])
      requests.push(['eth_getStorageAt', address, '0x0', height])
    }
    requests.push(['eth_getCode', address, tip], ['eth_getProof', address, ['0x0'], tip])
  }
  return requests
}

/**
 * @param {(index: number, response: object) => void} [onResponse] called with each one as it comes
 * @returns responses as `{ result }` or `{ error }`, in the order of the requests
 */
export async function ask(rpc, requests, onResponse = () => {}) {
  const responses = []
  for (let start = 0; start < requests.length; start += BATCH) {
    const batch = requests.slice(start, start + BATCH)
    const body = batch.map(([method, ...params], index) => ({ jsonrpc: '2.0', id: index, method, params }))
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(rpc, { method: 'POST', headers, body: JSON.stringify(body) })
    for (const { id, result: value, error } of await answer.json()) {
      responses[start + id] = error === undefined ? { result: value } : { error }
      onResponse(start + id, responses[start + id])
    }
  }
  return responses
}
