import { expect, test } from 'vitest'
import { stockFunction } from '../../src/cli/stock/chain/contracts.ts'
import { JsonRpc } from '../../src/cli/stock/chain/json-rpc.ts'
import { readAll } from '../../src/cli/stock/chain/multicall.ts'
import { read } from '../../src/cli/stock/state/stock-state.ts'
import { toAddress } from '../../src/primitives/hex.ts'
import { startNode } from '../support/running-node.ts'

const STOCK = toAddress('0x5700000000000000000000000000000000000002')
const NOBODY = toAddress('0x00000000000000000000000000000000000000aa')

test('thousands of reads return their results in order and at one block; failed reads are undefined', async () => {
  const node = await startNode({ flashblockInterval: 50 })
  const rpc = new JsonRpc({ url: node.urls.rpc, timeoutMs: 30_000 })
  const decimals = stockFunction('decimals')
  const balanceOf = stockFunction('balanceOf')
  const reads = Array.from({ length: 2_500 }, (_, index) =>
    index % 3 === 0 ? read(NOBODY, decimals) : index % 3 === 1 ? read(STOCK, decimals) : read(STOCK, balanceOf, NOBODY),
  )
  const { block, values } = await readAll(rpc, 'pending', reads)
  expect(values).toEqual(reads.map((_, index) => [undefined, 6n, 0n][index % 3]))
  expect(block.number).toBeGreaterThan(0)
  await node.close()
})
