import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../src/chain/accounts/development-accounts.ts'
import { createAddress } from '../src/chain/transaction/contract-address.ts'
import { bytesToHex, hexToBytes } from '../src/primitives/hex.ts'
import { COUNTER_RUNTIME, initCode, LOGGER_RUNTIME, word } from './support/contracts.ts'
import type { WireBlock, WireLog } from './support/json-rpc-client.ts'
import { type ManualServer, startManualServer } from './support/manual-server.ts'
import { testRandom } from './support/test-seed.ts'
import { signTransfer } from './support/transfers.ts'

const ACCOUNTS = DEVELOPMENT_ACCOUNTS.map(({ address }) => address)
const LOGGER = createAddress(ACCOUNTS[0]!, 0n)
const COUNTER = createAddress(ACCOUNTS[0]!, 1n)

let server: ManualServer
let nonces: bigint[]

beforeEach(async () => {
  server = await startManualServer()
  for (const [nonce, runtime] of [LOGGER_RUNTIME, COUNTER_RUNTIME].entries()) {
    await server.send({ nonce: BigInt(nonce), to: null, value: 0n, data: initCode(runtime), gasLimit: 200_000n })
  }
  nonces = ACCOUNTS.map((_, index) => (index === 0 ? 2n : 0n))
  await server.nextBlock()
})
afterEach(async () => {
  expect(server.logged).toEqual([])
  await server.stop()
})

function emit(from: number, topic: number): Promise<string> {
  const nonce = nonces[from]!
  nonces[from] = nonce + 1n
  return server.send({ from, nonce, to: LOGGER, value: 0n, data: hexToBytes(word(topic)), gasLimit: 100_000n })
}

/** Builds blocks as fast as possible while `work` runs, repeatedly, until `blocks` were sealed. */
async function whileSealing(blocks: number, work: () => Promise<void>): Promise<void> {
  const { node } = server
  const end = node.view().head.sealed.latest + blocks
  let isOver = false
  const sealing = (async () => {
    while (!isOver) {
      await server.nextFlashblock()
      // Sockets are served between flashblocks.
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  // Flashblocks continue while a request waits for one.
  while (node.view().head.sealed.latest < end) await work()
  isOver = true
  await sealing
}

test('P3: a batch sees one instant while blocks are sealed', async () => {
  const counts = new Set<number>()
  let sent = 0
  await whileSealing(12, async () => {
    if (sent < 300) await emit(sent++ % 3, sent)
    const all = { fromBlock: '0x2', toBlock: 'pending', address: LOGGER }
    const responses = await server.batch(
      ['eth_blockNumber'],
      ['eth_getBlockByNumber', 'latest', false],
      ['eth_getBlockByNumber', 'pending', false],
      ['eth_getLogs', all],
      ['eth_getLogs', { ...all, fromBlock: 'pending' }],
      ['eth_getBlockReceipts', 'pending'],
      ...[0, 1, 2].map((from) => ['eth_getTransactionCount', ACCOUNTS[from], 'pending'] as const),
      ['eth_getBlockByNumber', 'pending', false],
      ['eth_blockNumber'],
      ['eth_getLogs', all],
    )
    const [height, latest, pending, logs, pendingLogs, receipts, a, b, c, pendingAgain, heightAgain, logsAgain] =
      responses as [
        string,
        WireBlock,
        WireBlock,
        WireLog[],
        WireLog[],
        unknown[],
        string,
        string,
        string,
        WireBlock,
        string,
        WireLog[],
      ]
    expect(latest.number).toBe(height)
    expect(Number(pending.number)).toBe(Number(height) + 1)
    expect(pending.parentHash).toBe(latest.hash)
    expect(pendingLogs.map(({ transactionHash }) => transactionHash)).toEqual(pending.transactions)
    expect(pendingLogs.every(({ blockHash }) => blockHash === pending.hash)).toBe(true)
    expect(receipts).toHaveLength(pending.transactions.length)
    // The pending nonce counts all transactions sent, included or pending; no log occurs twice.
    expect(Number(a) + Number(b) + Number(c)).toBe(2 + sent)
    expect(new Set(logs.map(({ transactionHash }) => transactionHash)).size).toBe(logs.length)
    expect(logs.slice(logs.length - pendingLogs.length)).toEqual(pendingLogs)
    expect([pendingAgain, heightAgain, logsAgain]).toEqual([pending, height, logs])
    counts.add(Number(height))
  })
  expect(counts.size).toBeGreaterThan(5)
})

test('P7: random ranges up to pending equal a brute-force filter while blocks are sealed', async () => {
  const random = testRandom()
  const below = (limit: number) => Math.floor(random() * limit)
  let crossed = 0
  await whileSealing(25, async () => {
    await emit(below(3), below(4))
    const { latest } = server.node.view().head.sealed
    const from = below(latest + 2)
    const fromBlock = from > latest ? 'pending' : random() < 0.2 ? 'latest' : `0x${from.toString(16)}`
    const topics = [[word(below(4)), word(below(4))]]
    const filter = { fromBlock, toBlock: 'pending', ...(random() < 0.7 && { topics }) }
    const [height, everything, found] = (await server.batch(
      ['eth_blockNumber'],
      ['eth_getLogs', { fromBlock: 'earliest', toBlock: 'pending' }],
      ['eth_getLogs', filter],
    )) as [string, WireLog[], WireLog[]]
    const first = fromBlock === 'pending' ? Number(height) + 1 : Number(fromBlock === 'latest' ? height : fromBlock)
    const expected = everything.filter(
      (log) =>
        Number(log.blockNumber) >= first && (filter.topics === undefined || topics[0]!.includes(String(log.topics[0]))),
    )
    expect(found).toEqual(expected)
    if (found.some(({ blockNumber }) => Number(blockNumber) > Number(height)) && first <= Number(height)) crossed++
  })
  expect(crossed).toBeGreaterThan(10)
})

test('P8: pending is never null, and always the successor of latest, across seals', async () => {
  let polls = 0
  await whileSealing(40, async () => {
    const blocks = await server.batch(
      ...Array.from({ length: 20 }, () => ['eth_getBlockByNumber', 'pending', false] as const),
      ['eth_getBlockByNumber', 'latest', false],
    )
    const latest = blocks.pop() as WireBlock
    for (const pending of blocks) {
      expect(pending).not.toBeNull()
      expect((pending as WireBlock).parentHash).toBe(latest.hash)
      polls++
    }
  })
  expect(polls).toBeGreaterThan(500)
})

test('P1: sends with immediate read-back never reuse or skip a nonce', async () => {
  const from = 5
  const pendingNonce = () => server.result<string>('eth_getTransactionCount', ACCOUNTS[from], 'pending')
  let expected = 0n
  await whileSealing(80, async () => {
    expect(BigInt(await pendingNonce())).toBe(expected)
    await server.send({ from, nonce: expected })
    expected += 1n
  })
  expect(BigInt(await pendingNonce())).toBe(expected)
  expect(expected).toBeGreaterThan(100n)
  await server.nextBlock()
  await server.nextBlock()
  expect(BigInt(await server.result<string>('eth_getTransactionCount', ACCOUNTS[from], 'latest'))).toBe(expected)
})

test('P4: a caller override of one slot leaves the other pending slots of the account', async () => {
  // Slots 0 and 1 are set by a pending transaction: SSTORE(0, 5), SSTORE(1, 6) for any call with value; otherwise
  // returns both.
  const runtime = '3415600f5760055f556006600155005b5f545f5260015460205260405ff3'
  const to = createAddress(ACCOUNTS[4]!, 0n)
  await server.send({ from: 4, nonce: 0n, to: null, value: 0n, data: initCode(runtime), gasLimit: 300_000n })
  await server.send({ from: 4, nonce: 1n, to, value: 1n, gasLimit: 100_000n })
  await server.nextFlashblock()
  const call = (overrides: object) => server.result<string>('eth_call', { to }, 'pending', { [to]: overrides })
  const both = (first: number, second: number) => word(first) + word(second).slice(2)
  expect(await call({})).toBe(both(5, 6))
  expect(await call({ stateDiff: { [word(0)]: word(9) } })).toBe(both(9, 6))
  expect(await call({ balance: '0x1' })).toBe(both(5, 6))
  expect(await call({ nonce: '0x7' })).toBe(both(5, 6))
  expect(await call({ state: { [word(0)]: word(9) } })).toBe(both(9, 0))
})

test('P5: the second simulated block sees what the first wrote on top of pending', async () => {
  await server.send({ nonce: nonces[0]!, to: COUNTER, value: 0n, gasLimit: 100_000n })
  await server.nextFlashblock()
  const block = { calls: [{ to: COUNTER }, { to: COUNTER }] }
  const simulated = await server.result<{ calls: { returnData: string }[] }[]>(
    'eth_simulateV1',
    { blockStateCalls: [block, block, block] },
    'pending',
  )
  const counts = simulated.flatMap(({ calls }) => calls.map(({ returnData }) => Number(returnData)))
  expect(counts).toEqual([2, 3, 4, 5, 6, 7])
})

describe('P6: every method accepts every reference to a block', () => {
  const NAMES = [
    'number',
    'latest',
    'pending',
    'safe',
    'finalized',
    'earliest',
    'hash',
    'hash object',
    'number object',
  ] as const
  const METHODS: readonly (readonly [method: string, params: (block: unknown) => unknown[]])[] = [
    ['eth_getBalance', (block) => [ACCOUNTS[0], block]],
    ['eth_getTransactionCount', (block) => [ACCOUNTS[0], block]],
    ['eth_getCode', (block) => [LOGGER, block]],
    ['eth_getStorageAt', (block) => [COUNTER, '0x0', block]],
    ['eth_call', (block) => [{ to: COUNTER }, block]],
    ['eth_estimateGas', (block) => [{ from: ACCOUNTS[0], to: ACCOUNTS[1], value: '0x1' }, block]],
    ['eth_simulateV1', (block) => [{ blockStateCalls: [{ calls: [{ to: COUNTER }] }] }, block]],
    ['eth_getBlockReceipts', (block) => [block]],
  ]
  const BY_HEIGHT: typeof METHODS = [
    ['eth_getBlockByNumber', (block) => [block, true]],
    ['eth_getBlockTransactionCountByNumber', (block) => [block]],
    ['eth_getTransactionByBlockNumberAndIndex', (block) => [block, '0x0']],
    ['eth_getLogs', (block) => [{ fromBlock: block, toBlock: block }]],
    ['eth_feeHistory', (block) => ['0x1', block, []]],
  ]

  async function reference(name: (typeof NAMES)[number]): Promise<unknown> {
    const { hash } = await server.result<WireBlock>('eth_getBlockByNumber', '0x1', false)
    switch (name) {
      case 'number':
        return '0x1'
      case 'number object':
        return { blockNumber: '0x1' }
      case 'hash':
        return hash
      case 'hash object':
        return { blockHash: hash, requireCanonical: true }
      default:
        return name
    }
  }

  test.each(NAMES)('%s', async (name) => {
    await server.send({ nonce: 2n, to: COUNTER, value: 0n, gasLimit: 100_000n })
    await server.nextFlashblock()
    const block = await reference(name)
    const methods = name.includes('object') || name === 'hash' ? METHODS : [...METHODS, ...BY_HEIGHT]
    for (const [method, params] of methods) {
      const { error, result } = await server.request(method, ...params(block))
      expect([method, error]).toEqual([method, undefined])
      expect(result).toBeDefined()
    }
    // Three blocks with three states: each reference selects the right one.
    const sealed = name.includes('object') || name === 'hash' ? '0x1' : block
    const [named, slot, code, nonce] = (await server.batch(
      ['eth_getBlockByNumber', sealed, false],
      ['eth_getStorageAt', COUNTER, '0x0', block],
      ['eth_getCode', LOGGER, block],
      ['eth_getTransactionCount', ACCOUNTS[0], block],
    )) as [WireBlock, string, string, string]
    const height = Number(named.number)
    expect(Number(slot)).toBe([0, 0, 1][height])
    expect(code).toBe(height === 0 ? '0x' : `0x${LOGGER_RUNTIME}`)
    expect(Number(nonce)).toBe([0, 2, 3][height])
    const expected: Record<string, number> = { pending: 2, latest: 1, finalized: 0, earliest: 0 }
    if (name !== 'safe') expect(height).toBe(expected[name] ?? 1)
  })

  test('pending also by the hash of the partial block', async () => {
    await server.send({ nonce: 2n, to: COUNTER, value: 0n, gasLimit: 100_000n })
    await server.nextFlashblock()
    const { hash } = await server.result<WireBlock>('eth_getBlockByNumber', 'pending', false)
    for (const [method, params] of METHODS) {
      if (method === 'eth_getTransactionCount') continue
      const byHash = await server.request(method, ...params({ blockHash: hash }))
      expect([method, byHash]).toEqual([method, await server.request(method, ...params('pending'))])
    }
  })
})

test('R1: a synchronous send returns its receipt while flashblocks are built', async () => {
  const { node } = server
  const from = 6
  const account = DEVELOPMENT_ACCOUNTS[from]!
  let nonce = 0n
  const send = async () => {
    const { raw, hash } = signTransfer({ from, nonce: nonce++ })
    const receipt = await server.result<{ transactionHash: string; blockHash: string; blockNumber: string }>(
      'eth_sendRawTransactionSync',
      bytesToHex(raw),
    )
    expect(receipt).toMatchObject({ transactionHash: hash, from: account.address, status: '0x1' })
    const block = await server.result<WireBlock>('eth_getBlockByHash', receipt.blockHash, false)
    expect(block.number).toBe(receipt.blockNumber)
    expect(block.transactions).toContain(hash)
  }
  await whileSealing(30, send)
  // A busy machine sends fewer in that time.
  while (nonce <= 50n) await whileSealing(1, send)
  expect(node.events.listenerCount('dropped')).toBe(0)
})

test('R1: also for a flashblock at any moment of the send', async () => {
  const { rpc, clock, node } = server
  for (let moment = 0; moment < 120; moment++) {
    const { raw, hash } = signTransfer({ from: 7, nonce: BigInt(moment) })
    const params = [bytesToHex(raw)]
    let response: string | undefined
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransactionSync', params })
    const pooled = new Promise<void>((resolve) => node.events.once('pooled', () => resolve()))
    void Promise.resolve(rpc.handle(request)).then((text) => {
      response = text
    })
    for (let turn = 0; turn < moment; turn++) await undefined
    clock.moveTo(clock.next!)
    await node.idle()
    // The transaction may arrive while the flashblock is being written, and be written itself.
    await pooled
    // If it was too late for that flashblock, the next one includes it.
    if (response === undefined) await server.nextFlashblock()
    await new Promise((resolve) => setImmediate(resolve))
    expect(JSON.parse(String(response)).result).toMatchObject({ transactionHash: hash, status: '0x1' })
  }
})
