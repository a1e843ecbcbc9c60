import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../primitives/hex.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
/** Returns its balance. */
const CALL = { to: `0x${'99'.repeat(20)}` }
const OVERRIDES = { [CALL.to]: { code: '0x475f5260205ff3' } }

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await node.nextBlock()
})

/** Reads of state at a block that differ after each transfer. */
async function readsAt(block: unknown): Promise<unknown> {
  const call = { ...CALL, from: SENDER }
  return {
    balance: await node.result('eth_getBalance', SENDER, block),
    nonce: await node.result('eth_getTransactionCount', SENDER, block),
    call: await node.result('eth_call', { to: SENDER }, block, { [SENDER]: { code: '0x475f5260205ff3' } }),
    trace: await node.result('debug_traceCall', call, block, { tracer: 'prestateTracer' }),
    simulation: await node.result('eth_simulateV1', { blockStateCalls: [{ calls: [call] }] }, block),
  }
}

/** Sends a transfer for each flashblock. @returns the hash that pending had after each, and what reads saw then */
async function passFlashblocks(count: number) {
  const shown: { readonly hash: string; readonly reads: unknown }[] = []
  for (let nonce = 0n; nonce < count; nonce++) {
    await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce, value: 7n }).raw))
    await node.nextFlashblock()
    const { hash } = await node.result('eth_getBlockByNumber', 'pending', false)
    shown.push({ hash: String(hash), reads: await readsAt(hash) })
  }
  return shown
}

test('every hash that pending has shown for the open block gives the state of its flashblock', async () => {
  const { hash: opening } = await node.result('eth_getBlockByNumber', 'pending', false)
  const reads = await readsAt(opening)

  const shown = await passFlashblocks(4)

  expect(await readsAt(opening)).toEqual(reads)
  for (const { hash, reads } of shown) {
    expect(await readsAt(hash)).toEqual(reads)
    expect(await readsAt({ blockHash: hash })).toEqual(reads)
  }
  expect(new Set(shown.map(({ reads }) => JSON.stringify(reads))).size).toBe(4)
})

test('a partial hash of a sealed block is refused with the number and the hash of that block', async () => {
  const [first] = await passFlashblocks(2)
  await node.nextBlock()
  const { number, hash } = await node.result('eth_getBlockByNumber', 'latest', false)

  for (const method of ['eth_getBalance', 'eth_getCode', 'eth_getTransactionCount', 'eth_getProof']) {
    const params = method === 'eth_getProof' ? [SENDER, [], first!.hash] : [SENDER, first!.hash]
    expect((await node.request(method, ...params)).error).toEqual({
      code: -32000,
      message: `header not found: ${first!.hash} is a partial hash of block 2, which is sealed with hash ${hash}`,
      data: { blockNumber: number, blockHash: hash },
    })
  }
  expect((await node.request('eth_call', CALL, first!.hash, OVERRIDES)).error?.data).toMatchObject({ blockHash: hash })
})

test('a partial hash of a block that 64 others follow is unknown', async () => {
  const [first] = await passFlashblocks(2)
  const errorAfter = async (blocks: number) => {
    for (let block = 0; block < blocks; block++) await node.nextBlock()
    return (await node.request('eth_getBalance', SENDER, first!.hash)).error
  }

  expect(await errorAfter(64)).toHaveProperty('data.blockNumber', '0x2')
  expect(await errorAfter(1)).toEqual({ code: -32000, message: 'header not found' })
})

test('proofs are refused at an earlier flashblock of the open block', async () => {
  const [first, second] = await passFlashblocks(2)

  expect((await node.request('eth_getProof', SENDER, [], second!.hash)).error).toBeUndefined()
  expect((await node.request('eth_getProof', SENDER, [], first!.hash)).error?.message).toBe(
    'header not found: an earlier flashblock of the open block has no proofs; name pending, or its newest hash',
  )
})
