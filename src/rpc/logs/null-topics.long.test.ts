import { describe, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import type { Dialect } from '../protocol/dialect.ts'

/** Emits LOG0, LOG1 and LOG2 whose topics are all zero. */
const RUNTIME = '60006000a0600060006000a16000600060006000a2'
const INIT = `0x74${RUNTIME}600052601560${'0b'}f3`
const EMITTER = createAddress(DEVELOPMENT_ACCOUNTS[0]!.address, 0n)
const ZERO = `0x${'00'.repeat(32)}`

const CASES: readonly (readonly [topics: unknown[], base: number[], ethereum: number[]])[] = [
  [[], [0, 1, 2], [0, 1, 2]],
  [[null], [0, 1, 2], [1, 2]],
  [[[]], [0, 1, 2], [1, 2]],
  [[null, null], [0, 1, 2], [2]],
  [[null, null, null], [0, 1, 2], []],
  [[ZERO, null], [1, 2], [2]],
  [[null, ZERO], [2], [2]],
  [[null, ZERO, null], [2], []],
]

let node: RpcNode
async function send(transaction: { readonly raw: Uint8Array }): Promise<void> {
  await node.result('eth_sendRawTransaction', bytesToHex(transaction.raw))
}

/** Number of topics of each log, in order. */
function topicCounts(logs: unknown): number[] {
  return (logs as { topics: unknown[] }[]).map(({ topics }) => topics.length)
}

describe.each(['base', 'ethereum'] as const)('null topic positions in dialect %s', (dialect: Dialect) => {
  test.each(CASES)(
    '%j finds the same logs by range, block, filter and subscription',
    async (topics, base, ethereum) => {
      node = await startRpcNode({ dialect })
      await send(signTransfer({ nonce: 0n, to: null, value: 0n, data: hexToBytes(INIT), gasLimit: 200_000n }))
      await node.nextBlock()
      const criteria = { topics, address: EMITTER }
      const filter = await node.result('eth_newFilter', { ...criteria, toBlock: 'pending' })
      const received: { params?: { result: unknown } }[] = []
      const connection = node.rpc.connect((text) => received.push(JSON.parse(text)))
      for (const kind of ['logs', 'pendingLogs']) {
        await connection.receive(
          JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: [kind, criteria] }),
        )
      }

      await send(signTransfer({ nonce: 1n, to: EMITTER, value: 0n, gasLimit: 100_000n }))
      await node.nextFlashblock()
      const pending = await node.result('eth_getLogs', { ...criteria, fromBlock: 'pending', toBlock: 'pending' })
      const changes = await node.result('eth_getFilterChanges', filter)
      await node.nextBlock()
      const { hash } = await node.result('eth_getBlockByNumber', '0x2', false)
      const sealed = await node.result('eth_getLogs', { ...criteria, fromBlock: '0x0' })
      const inBlock = await node.result('eth_getLogs', { ...criteria, blockHash: hash })
      const all = await node.result('eth_getFilterLogs', filter)
      const notified = received.flatMap(({ params }) => (params === undefined ? [] : [params.result]))

      const expected = dialect === 'base' ? base : ethereum
      for (const logs of [pending, changes, sealed, inBlock, all]) expect(topicCounts(logs)).toEqual(expected)
      expect(topicCounts(notified)).toEqual([...expected, ...expected])
    },
  )
})
