import { expect, test } from 'vitest'
import { HttpL1Reader } from './l1-reader.ts'

const HASH = `0x${'12'.repeat(32)}`

test.each([
  ['blockAccessListHash and slotNumber', { mixHash: HASH, blockAccessListHash: HASH, slotNumber: '0x9' }, HASH],
  ['no mixHash', { l1BlockNumber: '0x1' }, `0x${'00'.repeat(32)}`],
])('a block of layer 1 with %s becomes an origin', async (_, members, prevRandao) => {
  const header = { number: '0x7', hash: HASH, parentHash: HASH, timestamp: '0x64', baseFeePerGas: '0x5', ...members }
  const transport = async () => JSON.stringify({ jsonrpc: '2.0', id: 0, result: header })
  const reader = new HttpL1Reader({ tag: 'latest', timeoutMs: 1_000 }, { transport })

  expect(await reader.block(7n)).toMatchObject({ number: 7n, hash: HASH, baseFee: 5n, prevRandao })
})
