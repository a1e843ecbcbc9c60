import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONTRACT_NETWORK, ofUsers, SYSTEM_TRANSACTIONS } from '../support/contract-chain.ts'
import type { WireBlock, WireReceipt } from '../support/json-rpc-client.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'

let server: ManualServer
/** Consecutive versions of the pending block: with no transaction, one, two, two. */
const steps: WireBlock[] = []
const hashes: string[] = []
let sealed: WireBlock
let receipts: WireReceipt[]

const pendingBlock = () => server.result<WireBlock>('eth_getBlockByNumber', 'pending', false)

beforeAll(async () => {
  // Blob gas is zero on this chain unless the data footprint counts (Jovian).
  server = await startManualServer({}, { network: { ...CONTRACT_NETWORK, daFootprintGasScalar: 400 } })
  await server.nextBlock()
  for (const from of [undefined, 1, 2, undefined]) {
    if (from !== undefined) hashes.push(await server.send({ nonce: 0n, from }))
    await server.nextFlashblock()
    steps.push(await pendingBlock())
  }
  await server.nextBlock()
  sealed = await server.result('eth_getBlockByNumber', 'latest', false)
  receipts = await server.result('eth_getBlockReceipts', 'latest')
})
afterAll(() => server.stop())

describe('the pending block', () => {
  test('number is the number of the block being built, never null', () => {
    expect(steps.map(({ number }) => number)).toEqual(['0x2', '0x2', '0x2', '0x2'])
  })

  test('hash is the hash of the partial block after this flashblock, never null', async () => {
    for (const step of steps) {
      expect(step.hash).toMatch(/^0x[0-9a-f]{64}$/)
      expect(await server.result('eth_getBlockByHash', step.hash, false)).toEqual(step)
    }
    const [empty, one, two, same] = steps.map(({ hash }) => hash)
    expect(new Set([empty, one, two]).size).toBe(3)
    // Nothing was added: the partial header is unchanged.
    expect(same).toBe(two)
  })

  test('gasUsed is the gas so far', () => {
    const systemGas = receipts.slice(0, SYSTEM_TRANSACTIONS).reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0)
    const expected = [0, 21_000, 42_000, 42_000].map((gas) => systemGas + gas)
    expect(steps.map(({ gasUsed }) => Number(gasUsed))).toEqual(expected)
  })

  test('transactions are the ones pre-confirmed so far', () => {
    const [first, second] = hashes
    const expected = [[], [first], [first, second], [first, second]]
    expect(steps.map(({ transactions }) => ofUsers(transactions))).toEqual(expected)
  })

  test('blobGasUsed is that of the transactions so far', () => {
    const [first, second] = ofUsers(receipts).map(({ blobGasUsed }) => Number(blobGasUsed))
    expect(first).toBeGreaterThan(0)
    const all = first! + second!
    expect(steps.map(({ blobGasUsed }) => Number(blobGasUsed))).toEqual([0, first, all, all])
  })

  test('has the members of a sealed block, each of the same type', () => {
    const kinds = (block: WireBlock) => Object.entries(block).map(([name, value]) => [name, kindOf(value)])
    for (const step of steps) expect(kinds(step)).toEqual(kinds(sealed))
  })

  test('equals the sealed block', () => {
    expect(sealed).toEqual(steps.at(-1))
    expect(ofUsers(receipts).map(({ transactionHash }) => transactionHash)).toEqual(hashes)
  })

  test('changes every 200 ms and not in between', async () => {
    const { clock, node } = server
    const start = clock.monotonic()
    const socket = await server.connect()
    const id = await socket.subscribe('newFlashblocks')
    const received = () => socket.received(id)
    for (let tick = 1; tick <= 9; tick++) {
      clock.moveTo(start + tick * 200 - 1)
      await node.idle()
      expect(await received()).toHaveLength(tick - 1)
      clock.moveTo(start + tick * 200)
      await node.idle()
      expect(await received()).toHaveLength(tick)
    }
  })
})

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  if (typeof value !== 'string') return typeof value
  return /^0x(0|[1-9a-f][0-9a-f]{0,14})$/.test(value) ? 'quantity' : `hex of ${value.length}`
}
