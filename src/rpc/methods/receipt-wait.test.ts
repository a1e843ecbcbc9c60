import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { MANUAL } from '../../node/development/mining-mode.ts'
import { DENIM_BLOCKS } from '../../node/production/building/schedule.ts'
import { bytesToHex } from '../../primitives/hex.ts'

async function send(node: RpcNode, members: Parameters<typeof signTransfer>[0] = { nonce: 0n }): Promise<string> {
  const { hash, raw } = signTransfer(members)
  await node.result('eth_sendRawTransaction', bytesToHex(raw))
  return hash
}

function requestOf(hash: string, id = 1): object {
  return { jsonrpc: '2.0', id, method: 'eth_getTransactionReceipt', params: [hash] }
}

/** Milliseconds that a request for the receipt waits on a node that builds no blocks; 0: it is answered at once. */
async function waitOf(node: RpcNode, hash: string): Promise<number> {
  const begun = node.clock.monotonic()
  const response = node.result('eth_getTransactionReceipt', hash)
  // The response needs turns of the event loop, and then time.
  await setImmediate()
  const end = node.clock.next
  if (end !== undefined) node.clock.moveTo(end)
  expect(await response).toBeNull()
  return (end ?? begun) - begun
}

test('a receipt of a pending transaction comes with the next flashblock', async () => {
  const node = await startRpcNode({ receiptWaitMs: undefined })
  const hash = await send(node)

  const response = node.result('eth_getTransactionReceipt', hash)
  await node.nextFlashblock()

  const { hash: blockHash } = await node.result('eth_getBlockByNumber', 'pending', false)
  expect(await response).toMatchObject({ transactionHash: hash, blockHash, status: '0x1' })
  expect(node.node.events.listenerCount('dropped')).toBe(0)
})

test('a receipt of a pending transaction comes with the next block of Denim', async () => {
  const chain = { network: { upgrade: 'denim', timestamp: 1_767_225_600n }, schedule: DENIM_BLOCKS } as const
  const node = await startRpcNode({ receiptWaitMs: undefined }, chain)
  const hash = await send(node)

  const response = node.result('eth_getTransactionReceipt', hash)
  await node.nextFlashblock()

  expect(await response).toMatchObject({ transactionHash: hash })
})

test.each([
  ['one and a half flashblock intervals by default', undefined, 300],
  ['--receipt-wait', 50, 50],
  ['--sync-timeout-ms at most', 60_000, 6_000],
  ['not at all with 0', 0, 0],
])('a request for a receipt waits %s', async (_, receiptWaitMs, expected) => {
  const node = await startRpcNode({ receiptWaitMs }, { sequencing: false })

  expect(await waitOf(node, await send(node))).toBe(expected)
})

test('a request for the receipt of a transaction that cannot be next does not wait', async () => {
  const chain = { network: { baseFee: 1_000_000_000n }, sequencing: false }
  const node = await startRpcNode({ receiptWaitMs: undefined }, chain)
  const unknown = signTransfer({ nonce: 7n }).hash
  const queued = await send(node, { nonce: 2n, maxFeePerGas: 2_000_000_000n })
  const belowBaseFee = await send(node, { nonce: 0n, maxFeePerGas: 100_000_000n, maxPriorityFeePerGas: 0n })

  expect(await waitOf(node, unknown)).toBe(0)
  expect(await waitOf(node, queued)).toBe(0)
  expect(await waitOf(node, belowBaseFee)).toBe(0)
})

test('a request for a receipt ends with null as soon as its transaction is dropped', async () => {
  const node = await startRpcNode({ receiptWaitMs: undefined }, { sequencing: false })
  const hash = await send(node)

  const response = node.result('eth_getTransactionReceipt', hash)
  await setImmediate()
  await send(node, { nonce: 0n, value: 9n, maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 50_000_000_000n })

  expect(await response).toBeNull()
})

test('items of a batch do not wait', async () => {
  const node = await startRpcNode({ receiptWaitMs: undefined }, { sequencing: false })
  const hash = await send(node)

  const response = await node.rpc.handle(JSON.stringify([requestOf(hash)]))

  expect(JSON.parse(response!)).toMatchObject([{ result: null }])
})

test('requests do not wait where blocks are built on demand', async () => {
  const chain = { development: { mining: MANUAL } }
  const node = await startRpcNode({ receiptWaitMs: undefined, development: true }, chain)

  expect(await node.result('eth_getTransactionReceipt', await send(node))).toBeNull()
})

test('at --max-inclusion-waits further requests of a WebSocket are answered at once', async () => {
  const options = { receiptWaitMs: undefined, maxInclusionWaits: 1 }
  const node = await startRpcNode(options, { sequencing: false })
  const hash = await send(node)
  const sent: string[] = []
  const connection = node.rpc.connect((text) => sent.push(text))

  const first = connection.receive(JSON.stringify(requestOf(hash, 1)))
  await connection.receive(JSON.stringify(requestOf(hash, 2)))

  expect(sent.map((text) => JSON.parse(text))).toEqual([{ jsonrpc: '2.0', id: 2, result: null }])
  node.clock.moveTo(300)
  await first
  expect(sent).toHaveLength(2)
})
