import { afterEach, expect, test } from 'vitest'
import { type ManualNode, READ_LIMITS, startManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import { type BlockReference, LATEST, PENDING } from '../../node/view/block-reference.ts'
import { type Address, hexToBytes, toAddress } from '../../primitives/hex.ts'
import { READS, wordAt } from './abi.ts'
import { type BlockReads, type CallResult, readAt } from './chain-source.ts'
import { NodeSource } from './node-source.ts'

const STOCK = toAddress('0x5700000000000000000000000000000000000001')
const NOBODY = toAddress(`0x${'99'.repeat(20)}`)
const TOTAL_SUPPLY = READS['totalSupply()']

const { genesis } = createNetwork()

let node: ManualNode
afterEach(() => node.node.stop())

function sourceOf({ node: service, clock }: ManualNode): NodeSource {
  return new NodeSource(READ_LIMITS, { node: service, genesis, now: () => clock.monotonic() })
}

const at = (number: number): BlockReference => ({ kind: 'number', number })

function wordOf(result: CallResult | undefined): bigint | undefined {
  return result?.kind === 'returned' ? wordAt(result.output, 0) : undefined
}

async function supplyOf(reads: BlockReads, to: Address = STOCK): Promise<bigint | undefined> {
  const [result] = await reads.call([{ to, data: TOTAL_SUPPLY }])
  return wordOf(result)
}

test('a block has its number, hash and status', async () => {
  node = await startManualNode({ finalityDepth: 1 })
  await node.nextBlock()
  await node.nextBlock()
  await node.node.idle()
  const source = sourceOf(node)
  const { head } = node.node.view()
  expect(source.latestHash()).toBe(source.block(LATEST)!.hash)
  expect(source.block(LATEST)).toMatchObject({ number: 2, status: 'sealed' })
  expect(source.block(PENDING)).toMatchObject({ number: 3, status: 'open', hash: head.pending.block.hash })
  expect(source.block(at(0))).toMatchObject({ number: 0, status: 'final' })
  expect(source.block({ kind: 'hash', hash: source.latestHash(), requireCanonical: false })).toMatchObject({
    number: 2,
  })
  expect(source.block(at(3))).toBeUndefined()
  expect(source.chainId).toBe(31_337n)
})

test('a block keeps its metadata after the chain has grown', async () => {
  node = await startManualNode({ finalityDepth: 1 })
  await node.nextBlock()
  const source = sourceOf(node)
  const block = source.block(LATEST)!
  const { timestamp } = node.node.view().header(LATEST)!
  for (let count = 0; count < 4; count++) {
    await node.nextBlock()
    await node.node.idle()
  }
  expect(source.latestHash()).not.toBe(block.hash)
  expect([block.number, block.timestamp, block.status]).toEqual([1, timestamp, 'sealed'])
})

test('returns the message of a failed call and empty bytes for an account without code', async () => {
  node = await startManualNode()
  const block = sourceOf(node).block(LATEST)!
  const outputs = await readAt(block, (reads) =>
    reads.call([
      { to: STOCK, data: new Uint8Array(4) },
      { to: NOBODY, data: TOTAL_SUPPLY },
      { to: STOCK, data: TOTAL_SUPPLY },
    ]),
  )
  expect(outputs[0]).toEqual({ kind: 'failed', message: 'execution reverted', data: new Uint8Array(0) })
  expect(outputs[1]).toEqual({ kind: 'returned', output: new Uint8Array(0) })
  expect(wordOf(outputs[2])).toBe(10n ** 24n)
})

test('limits a call to the gas of eth_call', async () => {
  node = await startManualNode()
  const to = await deployed('5a5f5260205ff3') // GAS PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
  const [gas] = await readAt(sourceOf(node).block(LATEST)!, (reads) => reads.call([{ to, data: TOTAL_SUPPLY }]))
  expect(wordOf(gas)).toBeGreaterThan(READ_LIMITS.callGasCap - 100_000n)
  expect(wordOf(gas)).toBeLessThan(READ_LIMITS.callGasCap)
})

test('ends a call after the time of eth_call, and yields before', async () => {
  node = await startManualNode()
  const to = await deployed('5b5f56') // JUMPDEST PUSH0 JUMP
  let time = 0
  let yields = 0
  const source = new NodeSource(READ_LIMITS, {
    node: node.node,
    genesis,
    // Each read of the clock advances it by a second.
    now: () => (time += 1_000),
    nextTurn: async () => {
      yields += 1
    },
  })
  const results = await readAt(source.block(LATEST)!, (reads) =>
    reads.call([
      { to, data: TOTAL_SUPPLY },
      { to: STOCK, data: TOTAL_SUPPLY },
    ]),
  )
  expect(results[0]).toMatchObject({ kind: 'failed', message: 'execution aborted after 5000 ms' })
  expect(wordOf(results[1])).toBe(10n ** 24n)
  expect(yields).toBeGreaterThan(1)
})

/** Deploys code and seals it. */
async function deployed(code: string): Promise<Address> {
  // PUSH1 length, DUP1, PUSH1 offset, PUSH0, CODECOPY, PUSH0, RETURN, then the code.
  const length = (code.length / 2).toString(16).padStart(2, '0')
  const create = hexToBytes(`0x60${length}80600a5f395ff300${code}`)
  const { raw, from } = signTransfer({ nonce: 0n, to: null, value: 0n, data: create, gasLimit: 200_000n })
  expect(await node.node.submit(raw)).toMatchObject({ kind: 'accepted' })
  await node.nextBlock()
  return createAddress(from, 0n)
}

test('reads stay at their block while the chain grows', async () => {
  node = await startManualNode({ history: 1 })
  const source = sourceOf(node)
  const reads = source.block(LATEST)!.open()
  for (let count = 0; count < 4; count++) {
    node.node.submit(signTransfer({ nonce: BigInt(count) }).raw)
    await node.nextBlock()
    await node.node.idle()
    expect(await supplyOf(reads)).toBe(10n ** 24n)
  }
  reads.close()
})

test('rejects a block whose state is pruned and asks for a newer one', async () => {
  node = await startManualNode({ history: 1 })
  for (let count = 0; count < 4; count++) await node.nextBlock()
  await node.node.idle()
  const block = sourceOf(node).block(at(0))!
  expect(() => block.open()).toThrow(
    expect.objectContaining({
      code: 'notFound',
      message: expect.stringMatching(/^the state of block 0 is not kept any more: the first block is [1-9]\d*$/),
    }),
  )
})

test('yields during a long list of calls', async () => {
  node = await startManualNode()
  let time = 0
  let yields = 0
  const source = new NodeSource(READ_LIMITS, {
    node: node.node,
    genesis,
    // Each read of the clock advances it by a millisecond.
    now: () => time++,
    nextTurn: async () => {
      yields += 1
    },
  })
  const calls = Array.from({ length: 100 }, () => ({ to: STOCK, data: TOTAL_SUPPLY }))
  const outputs = await readAt(source.block(LATEST)!, (reads) => reads.call(calls))
  expect(outputs.every((output) => wordOf(output) === 10n ** 24n)).toBe(true)
  expect(yields).toBeGreaterThan(5)
})
