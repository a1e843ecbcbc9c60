import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { COUNTER, deployContracts, send } from '../../../test/support/traced-contracts.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { bigintToWord } from '../../primitives/quantity.ts'

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
const hashOfSlot = (slot: number) => keccakHash(bigintToWord(BigInt(slot)))
const SLOTS = 40
const START = `0x${'00'.repeat(32)}`

let node: RpcNode
/** Block 2 has two calls of the counter, whose slot 0 counts them; slots 1 to 39 are set before it. */
beforeAll(async () => {
  node = await startRpcNode({ development: true })
  await deployContracts(node)
  for (let slot = 1; slot < SLOTS; slot++)
    await node.result('anvil_setStorageAt', COUNTER, word(slot), word(1000 + slot))
  await send(node, 2n, COUNTER)
  await send(node, 3n, COUNTER)
  await node.nextBlock()
  await node.nextBlock()
})
afterAll(() => node.stop())

interface Range {
  readonly storage: Readonly<Record<string, { readonly key: null; readonly value: string }>>
  readonly nextKey: string | null
}

const rangeAt = async (...params: readonly unknown[]) =>
  (await node.result('debug_storageRangeAt', ...params)) as unknown as Range

test('pages through all slots in the order of their hashes', async () => {
  const seen: string[] = []
  for (let start: string | null = START; start !== null; ) {
    const { storage, nextKey }: Range = await rangeAt('0x3', 0, COUNTER, start, 7)
    expect(Object.keys(storage).length).toBeLessThanOrEqual(7)
    seen.push(...Object.keys(storage))
    start = nextKey
  }
  const expected = Array.from({ length: SLOTS }, (_, slot) => hashOfSlot(slot)).sort()
  expect(seen).toEqual(expected)
})

test('shows values as they were before a transaction of the block', async () => {
  const countAt = async (block: string, index: number) =>
    (await rangeAt(block, index, COUNTER, hashOfSlot(0), 1)).storage[hashOfSlot(0)]?.value

  expect(await countAt('0x2', 1)).toBe(word(1))
  expect(await countAt('0x3', 0)).toBe(word(2))
})

test('shows changes from outside that came before the block', async () => {
  const { storage } = await rangeAt('0x2', 1, COUNTER, START, 100)
  expect(Object.keys(storage)).toHaveLength(SLOTS)
})

test('an account without storage, and a request for no slots', async () => {
  expect(await rangeAt('0x3', 0, `0x${'99'.repeat(20)}`, START, 5)).toEqual({ storage: {}, nextKey: null })
  const { storage, nextKey } = await rangeAt('0x3', 0, COUNTER, '0x', 0)
  expect(storage).toEqual({})
  expect(nextKey).toMatch(/^0x[0-9a-f]{64}$/)
})

test.each([
  [['0x2', 2, COUNTER, START, 1], /index 2 out of range: the block has 2/],
  [['0x0', 0, COUNTER, START, 1], /genesis is not traceable/],
  [['0x63', 0, COUNTER, START, 1], /header not found/],
])('refuses %j', async (params, message) => {
  expect((await node.request('debug_storageRangeAt', ...params)).error?.message).toMatch(message)
})
