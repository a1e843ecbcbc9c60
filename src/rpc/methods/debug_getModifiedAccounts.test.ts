import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { CALLER, COUNTER, deployContracts, send } from '../../../test/support/traced-contracts.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../primitives/hex.ts'

const [SENDER, RECIPIENT] = [DEVELOPMENT_ACCOUNTS[0]!.address, DEVELOPMENT_ACCOUNTS[9]!.address]

let node: RpcNode
const hashes: string[] = []
/** Block 1 deploys two contracts, block 2 calls one of them, block 3 is empty, block 4 has a transfer. */
beforeAll(async () => {
  node = await startRpcNode()
  await deployContracts(node)
  await send(node, 2n, COUNTER)
  await node.nextBlock()
  await node.nextBlock()
  await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 3n }).raw))
  await node.nextBlock()
  for (let number = 0; number <= 4; number++) {
    const block = await node.result('eth_getBlockByNumber', number === 0 ? '0x0' : `0x${number}`, false)
    hashes.push(String(block.hash))
  }
})
afterAll(() => node.stop())

/** The result without accounts that fees or the opening calls of blocks change. */
async function modified(method: 'Number' | 'Hash', ...params: readonly unknown[]): Promise<readonly string[]> {
  const found = (await node.result(`debug_getModifiedAccountsBy${method}`, ...params)) as unknown as readonly string[]
  const watched = new Set<string>([SENDER, RECIPIENT, COUNTER, CALLER])
  return found.filter((address) => watched.has(address)).sort()
}

const sorted = (...addresses: readonly string[]) => [...addresses].sort()

test('one block is compared with its parent, by number and by hash', async () => {
  expect(await modified('Number', 1)).toEqual(sorted(SENDER, COUNTER, CALLER))
  // The call changes only the storage of the counter.
  expect(await modified('Number', 2)).toEqual(sorted(SENDER, COUNTER))
  expect(await modified('Number', 3)).toEqual([])
  expect(await modified('Number', '0x4')).toEqual(sorted(SENDER, RECIPIENT))
  for (const number of [1, 2, 3, 4]) {
    expect(await modified('Hash', hashes[number])).toEqual(await modified('Number', number))
  }
})

test('a range is what its blocks changed after the first one', async () => {
  expect(await modified('Number', 0, 4)).toEqual(sorted(SENDER, RECIPIENT, COUNTER, CALLER))
  expect(await modified('Number', 1, 3)).toEqual(sorted(SENDER, COUNTER))
  expect(await modified('Hash', hashes[2], hashes[4])).toEqual(sorted(SENDER, RECIPIENT))
})

test('changes from outside count where eth_getBalance shows them: with the block before them', async () => {
  const other = await startRpcNode({ development: true })
  const balance = await other.result('eth_getBalance', RECIPIENT, 'latest')
  await other.nextBlock()
  await other.result('anvil_setBalance', RECIPIENT, '0x1')
  await other.nextBlock()
  await other.result('anvil_setBalance', RECIPIENT, balance)
  await other.nextBlock()
  const list = (from: number, to: number) => other.result('debug_getModifiedAccountsByNumber', from, to)

  expect(await other.result('eth_getBalance', RECIPIENT, '0x1')).toBe('0x1')
  expect(await list(0, 1)).toContain(RECIPIENT)
  expect(await list(1, 2)).toContain(RECIPIENT)
  expect(await list(2, 3)).not.toContain(RECIPIENT)
  // Changed and changed back.
  expect(await list(0, 3)).not.toContain(RECIPIENT)
})

test.each([
  ['Number', [0], /genesis has no parent/],
  ['Number', [3, 3], /start block height \(3\) must be less than end block height \(3\)/],
  ['Number', [4, 2], /must be less than/],
  ['Number', [99], /header not found/],
  ['Hash', [`0x${'12'.repeat(32)}`], /header not found/],
] as const)('by %s refuses %j', async (by, params, message) => {
  expect((await node.request(`debug_getModifiedAccountsBy${by}`, ...params)).error?.message).toMatch(message)
})

test('the open block and the partial hash of a sealed one are not compared', async () => {
  await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 4n }).raw))
  await node.nextFlashblock()
  const { hash: partial } = await node.result('eth_getBlockByNumber', 'pending', false)
  const refusal = async (by: string, start: unknown) =>
    (await node.request(`debug_getModifiedAccountsBy${by}`, start)).error?.message

  expect(await refusal('Number', 5)).toMatch(/header not found/)
  expect(await refusal('Hash', partial)).toMatch(/header not found/)
  // A later flashblock changes the hash.
  await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 5n }).raw))
  await node.nextBlock()
  expect(await refusal('Hash', partial)).toMatch(/header not found/)
  expect(await refusal('Number', 5)).toBeUndefined()
})
