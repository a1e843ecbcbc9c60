import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { CALLER, COUNTER, deployContracts, send } from '../../../../test/support/traced-contracts.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'

const UNKNOWN = `0x${'11'.repeat(32)}`

interface Used {
  readonly opcode: string
  readonly count: number
  readonly gasUsed: number
}

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
  await deployContracts(node)
})
afterEach(async () => {
  expect(node.logged).toEqual([])
  await node.stop()
})

/** The same sums from go-ethereum's list of all instructions. */
async function summedLogs(hash: string): Promise<readonly Used[]> {
  const { structLogs } = await node.result('debug_traceTransaction', hash)
  const byName = new Map<string, Used>()
  for (const { op, gasCost } of structLogs as unknown as { op: string; gasCost: number }[]) {
    const { count, gasUsed } = byName.get(op) ?? { count: 0, gasUsed: 0 }
    byName.set(op, { opcode: op, count: count + 1, gasUsed: gasUsed + gasCost })
  }
  return [...byName.values()]
}

const byName = (used: readonly Used[]) => [...used].sort((a, b) => a.opcode.localeCompare(b.opcode))

test('trace_transactionOpcodeGas sums up the instructions of all frames of a transaction', async () => {
  const hash = await send(node, 2n, CALLER)
  await node.nextBlock()

  const result = await node.result('trace_transactionOpcodeGas', hash)

  const used = result.opcodeGas as unknown as Used[]
  expect(result.transactionHash).toBe(hash)
  expect(used.map(({ opcode }) => opcode)).toEqual(expect.arrayContaining(['CALL', 'SSTORE']))
  expect(byName(used)).toEqual(byName(await summedLogs(hash)))
})

test('trace_blockOpcodeGas lists the transactions of a block, and transfers without instructions', async () => {
  const first = await send(node, 2n, DEVELOPMENT_ACCOUNTS[1]!.address)
  const second = await send(node, 3n, COUNTER)
  await node.nextBlock()
  const { hash } = await node.result('eth_getBlockByNumber', '0x2', false)

  expect(await node.result('trace_blockOpcodeGas', '0x2')).toEqual({
    blockHash: hash,
    blockNumber: 2,
    transactions: [{ transactionHash: first, opcodeGas: [] }, await node.result('trace_transactionOpcodeGas', second)],
  })
})

test('unknown and pooled transactions and unknown blocks are null, and the genesis block is empty', async () => {
  const pooled = await send(node, 9n, COUNTER)

  for (const hash of [UNKNOWN, pooled]) expect(await node.result('trace_transactionOpcodeGas', hash)).toBeNull()
  expect(await node.result('trace_blockOpcodeGas', '0x99')).toBeNull()
  expect(await node.result('trace_blockOpcodeGas', '0x0')).toMatchObject({ blockNumber: 0, transactions: [] })
})
