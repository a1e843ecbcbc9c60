import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { bytesToHex } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode({ maxInclusionWaits: 2 })
})
test('bounds requests that wait for inclusion before anything is sent, and reports their number', async () => {
  const responses: { id: number; result?: { status: string }; error?: { code: number; message: string } }[] = []
  const waiting: number[] = []
  const connection = node.rpc.connect((text) => responses.push(JSON.parse(text)), {
    onWaiting: (count) => waiting.push(count),
  })
  const send = (nonce: number) => {
    const raw = bytesToHex(signTransfer({ nonce: BigInt(nonce) }).raw)
    const method = 'eth_sendRawTransactionSync'
    return connection.receive(JSON.stringify({ jsonrpc: '2.0', id: nonce, method, params: [raw] }))
  }
  const sent = Promise.all([0, 1, 2].map(send))
  await node.passing(sent)
  expect(responses).toHaveLength(3)
  expect(responses[0]).toMatchObject({ id: 2, error: { code: -32000, message: expect.stringContaining('limit 2') } })
  expect(responses.slice(1)).toMatchObject([{ result: { status: '0x1' } }, { result: { status: '0x1' } }])
  expect(waiting).toEqual([1, 2, 1, 0])
  expect(node.node.view().pool.get(signTransfer({ nonce: 2n }).hash)).toBeUndefined()
})
