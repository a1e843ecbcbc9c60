import { afterEach, beforeEach, expect, test } from 'vitest'
import { endAll, endLater, follow } from '../../../test/support/replica-scene.ts'
import { asking, serveStream } from '../../../test/support/replicas.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { bytesToHex } from '../../primitives/hex.ts'

afterEach(endAll)

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
/** Resolves when the transaction is in the pool: then the method listens. */
async function accepted(): Promise<void> {
  await new Promise<void>((resolve) => node.node.events.once('pooled', () => resolve()))
  await new Promise((resolve) => setImmediate(resolve))
}

test('returns the receipt of the flashblock that includes the transaction', async () => {
  const transaction = signTransfer({ nonce: 0n })
  const received = accepted()
  const response = node.result('eth_sendRawTransactionSync', bytesToHex(transaction.raw))
  await received
  await node.nextFlashblock()
  const pending = await node.result('eth_getBlockByNumber', 'pending', false)
  expect(await response).toMatchObject({
    transactionHash: transaction.hash,
    blockHash: pending.hash,
    blockNumber: '0x1',
    status: '0x1',
  })
  expect(node.node.events.listenerCount('dropped')).toBe(0)
})

test('refuses a nonce gap with code 6 and the expected nonce, counting the pool', async () => {
  await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 0n }).raw))
  const gap = signTransfer({ nonce: 2n })

  const { error } = await node.request('eth_sendRawTransactionSync', bytesToHex(gap.raw), '0x3e8')

  expect(error).toMatchObject({ code: 6, data: '0x1', message: expect.stringContaining('nonce gap') })
  expect(node.node.view().pool.get(gap.hash)).toBeUndefined()
  expect(await node.result('eth_sendRawTransaction', bytesToHex(gap.raw))).toBe(gap.hash)
  const again = signTransfer({ nonce: 2n, maxPriorityFeePerGas: 9_000_000n, maxFeePerGas: 10n ** 12n })
  const replacing = await node.request('eth_sendRawTransactionSync', bytesToHex(again.raw))
  expect(replacing.error).toMatchObject({ code: 6, data: '0x1' })
})

test('refuses a transaction that the base fee blocks with code 5 and its hash, also behind a blocked one', async () => {
  const busy = await startRpcNode({}, { network: { baseFee: 100_000_000n } })
  const blocked = signTransfer({ nonce: 0n, maxFeePerGas: 50_000_000n, maxPriorityFeePerGas: 0n })
  const behind = signTransfer({ nonce: 1n })

  const { error } = await busy.request('eth_sendRawTransactionSync', bytesToHex(blocked.raw))

  expect(error).toMatchObject({ code: 5, data: blocked.hash })
  expect(busy.node.view().pool.size).toBe(0)
  await busy.result('eth_sendRawTransaction', bytesToHex(blocked.raw))
  const second = await busy.request('eth_sendRawTransactionSync', bytesToHex(behind.raw))
  expect(second.error).toMatchObject({ code: 5, data: behind.hash, message: expect.stringContaining(blocked.hash) })
  expect(busy.node.view().pool.size).toBe(1)
})

test('a replica forwards what must be executable, and answers with the codes of the leader', async () => {
  const stream = await serveStream(node.node)
  endLater(() => stream.close())
  const replica = await follow(stream.url)
  const request = asking(replica)

  const response = JSON.parse(await request('eth_sendRawTransactionSync', bytesToHex(signTransfer({ nonce: 7n }).raw)))

  expect(response.error).toMatchObject({ code: 6, data: '0x0' })
  expect(node.node.view().pool.size).toBe(0)
})

test('fails with code 4 and the hash after the timeout, which a client cannot extend beyond the maximum', async () => {
  // Shorter than the time until the next flashblock.
  const impatient = await startRpcNode({ syncTimeoutMs: 100 })
  const transaction = signTransfer({ nonce: 0n })
  const response = impatient.request('eth_sendRawTransactionSync', bytesToHex(transaction.raw), 60_000)
  expect((await impatient.passing(response)).error).toMatchObject({ code: 4, data: transaction.hash })
  expect(impatient.clock.monotonic()).toBeLessThan(1_000)
  await impatient.stop()
})

test('rejects a transaction like eth_sendRawTransaction', async () => {
  const { error } = await node.request('eth_sendRawTransactionSync', '0x02')
  expect(error?.code).toBe(-32000)
})

test('items of a batch wait for the same flashblock, in the order of their sender', async () => {
  const sent = [signTransfer({ nonce: 0n }), signTransfer({ nonce: 1n }), signTransfer({ nonce: 2n })]
  const items = sent.map(({ raw }, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_sendRawTransactionSync',
    params: [bytesToHex(raw)],
  }))

  const answering = Promise.resolve(node.rpc.handle(JSON.stringify(items)))
  while (node.node.view().pool.size < sent.length) await new Promise((resolve) => setImmediate(resolve))
  await node.nextFlashblock()
  const receipts = JSON.parse((await answering)!).map(({ result }: { result: { transactionHash: string } }) => result)

  expect(receipts).toMatchObject(
    sent.map(({ hash }, index) => ({ transactionHash: hash, transactionIndex: `0x${index}` })),
  )
})
