// `npm run test:fork -- --help` describes this program and its options.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reportLatency } from './latency.mjs'
import { startAnvil, startTickertape } from './nodes.mjs'
import { values } from './options.mjs'
import { startProxy } from './proxy.mjs'
import { ok, populate, randomReads, readsAbove, SENDERS, transactions } from './workload.mjs'

const size = { accounts: values.accounts, blocks: values.blocks }
const cache = mkdtempSync(join(tmpdir(), 'tickertape-fork-'))

/** Deterministic: the second run makes the same requests. */
function randomOf(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const isWanted = (name) => values.upstream === 'all' || values.upstream === name
try {
  if (isWanted('tickertape')) {
    await compare('Tickertape', await startTickertape('--ephemeral', '--mining', 'manual'), [])
  }
  const anvil = isWanted('anvil') ? await startAnvil('--no-mining', '--hardfork', 'prague') : undefined
  if (anvil !== undefined) await compare('Anvil', anvil, [])
  else if (isWanted('anvil')) console.log('Anvil is not installed (npm run bench:peers): skipped')
  await reportLatency({ delayMs: 100 })
} finally {
  rmSync(cache, { recursive: true, force: true })
}
console.log('passed')

async function compare(name, original, flags) {
  const chainId = Number(await original.call('eth_chainId'))
  let start = Date.now()
  const contracts = await populate(original, chainId, size)
  const head = Number(await original.call('eth_blockNumber'))
  console.log(`${name}: ${head} blocks in ${Date.now() - start} ms`)
  const seed = values.seed
  const reads = randomReads(contracts, { count: values.reads, random: randomOf(seed), head })
  const expectedReads = normal(await original.batch(reads))
  const raws = await transactions(chainId, contracts, {
    count: values.transactions,
    random: randomOf(seed + 1),
    head,
  })
  // Each transaction has a block of its own.
  const above = readsAbove(contracts, {
    count: values.reads,
    random: randomOf(seed + 3),
    head,
    newest: head + raws.length,
  })
  await original.call('evm_setAutomine', true)
  const proxy = await startProxy(original.url, { random: randomOf(seed + 2), faultShare: 0 })
  /** Reads above the fork block, and those that begin below it and end above. */
  const readAcross = async (node) => {
    const [crossing, fees] = ok(
      await node.batch([
        ['eth_getLogs', { fromBlock: `0x${(head - 5).toString(16)}`, toBlock: 'latest', address: contracts.token }],
        // Anvil ends every history with the base fee that follows its newest block.
        ['eth_feeHistory', `0x${(raws.length + 10).toString(16)}`, 'latest', []],
      ]),
    )
    const { oldestBlock, baseFeePerGas, gasUsedRatio } = fees
    const states = ok(await inParts(node, above))
    return normal({ above: states, crossing, fees: { oldestBlock, baseFeePerGas, gasUsedRatio } })
  }
  const run = async (label, ...more) => {
    start = Date.now()
    const before = proxy.state.requests
    const fork = await startTickertape(
      '--fork-url',
      `${proxy.url}`,
      '--fork-block-number',
      String(head),
      '--mining',
      'auto',
      '--order',
      'fifo',
      '--fork-cache-path',
      join(cache, name),
      ...flags,
      ...more,
    )
    try {
      same(
        normal(ok(await fork.batch([['eth_blockNumber'], ['eth_chainId']]))),
        [`0x${head.toString(16)}`, `0x${chainId.toString(16)}`],
        'head',
      )
      const result = { ...(await execute(fork, raws, contracts)), ...(await readAcross(fork)) }
      same(normal(await inParts(fork, reads)), expectedReads, `${label}: reads`, reads)
      console.log(
        `${name}, ${label}: ${Date.now() - start} ms, ${proxy.state.requests - before} requests`,
        JSON.stringify(proxy.state.faults),
      )
      return result
    } catch (error) {
      console.log(fork.errors().slice(-3_000))
      throw error
    } finally {
      await fork.stop()
    }
  }
  const first = await run('first run')
  // The original executes them after the fork was made: what follows is above the fork block.
  const expected = { ...(await execute(original, raws, contracts)), ...(await readAcross(original)) }
  same(first, expected, 'first run')
  const asked = proxy.state.requests
  same(await run('second run', '--fork-offline'), expected, 'second run')
  assert.equal(proxy.state.requests, asked, 'the second run asks the upstream')
  proxy.state.faultShare = 0.3
  same(await run('failing upstream', '--no-fork-cache', '--fork-retries', '20'), expected, 'failing upstream')
  await proxy.close()
  await original.stop()
}

/** Sends transactions one after the other, each in a block of its own, and returns what they did. */
async function execute(node, raws, { counter, token }) {
  const receipts = []
  for (const raw of raws) {
    const hash = await node.call('eth_sendRawTransaction', raw)
    const receipt = await receiptOf(node, hash)
    const { status, gasUsed, effectiveGasPrice, contractAddress, blockNumber, logs } = receipt
    receipts.push({
      status,
      gasUsed,
      effectiveGasPrice,
      contractAddress,
      blockNumber,
      logs: logs.map(({ address, topics, data, logIndex }) => ({ address, topics, data, logIndex })),
    })
  }
  const { miner } = await node.call('eth_getBlockByNumber', 'latest', false)
  const addresses = [...SENDERS.map(({ address }) => address), counter, token, miner]
  const balances = ok(await node.batch(addresses.map((address) => ['eth_getBalance', address, 'latest'])))
  const nonces = ok(await node.batch(addresses.map((address) => ['eth_getTransactionCount', address, 'latest'])))
  return { receipts: normal(receipts), balances, nonces, miner }
}

/** Anvil answers before it has mined. */
async function receiptOf(node, hash) {
  const end = Date.now() + 10_000
  for (;;) {
    const receipt = await node.call('eth_getTransactionReceipt', hash)
    if (receipt !== null) return receipt
    assert.ok(Date.now() < end, `${hash} is not included`)
  }
}

async function inParts(node, requests) {
  const replies = []
  for (let start = 0; start < requests.length; start += 10)
    replies.push(...(await node.batch(requests.slice(start, start + 10))))
  return replies
}

/** Members that only one of the nodes has, and the case of addresses, do not count. */
function normal(value) {
  const IGNORED = new Set([
    'totalDifficulty',
    'daFootprintGasScalar',
    'authorizationList',
    'blockTimestamp',
    'v',
    'yParity',
    'blobGasPrice',
    'blobGasUsed',
    'blockHash',
    'size',
    'gasPrice',
    'requestsHash',
  ])
  return JSON.parse(JSON.stringify(value), function reviver(key, member) {
    if (IGNORED.has(key) || key.startsWith('l1')) return undefined
    return typeof member === 'string' ? member.toLowerCase() : member
  })
}

function same(actual, expected, subject, requests) {
  try {
    assert.deepEqual(actual, expected)
  } catch (error) {
    const index = Array.isArray(actual)
      ? actual.findIndex((item, at) => JSON.stringify(item) !== JSON.stringify(expected[at]))
      : -1
    const request = requests?.[index]
    throw new Error(`${subject}: ${JSON.stringify(request)} ${error.message.slice(0, 3_000)}`)
  }
}
