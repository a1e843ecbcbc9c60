import { expect, test } from 'vitest'
import { constantSidecar, signBlobTransfer } from '../../../test/support/blob-transactions.ts'
import { startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { AUTO, MANUAL } from '../../node/development/mining-mode.ts'
import { bytesToHex } from '../../primitives/hex.ts'

const BLOB_GAS = '0x20000'

const start = (mining = AUTO) =>
  startRpcNode({ development: true, compat: 'anvil' }, { network: { hasBlobs: true }, development: { mining } })

test.each([
  ['a proof per blob (EIP-4844)', 0],
  ['a proof per cell (EIP-7594)', 1],
] as const)('a development chain with blobs includes a transaction whose sidecar has %s', async (_, version) => {
  const node = await start()
  const { sent, transaction } = signBlobTransfer({ sidecar: constantSidecar([5n], version) })

  expect(await node.result('eth_sendRawTransaction', bytesToHex(sent))).toBe(transaction.hash)

  expect(await node.result('eth_getTransactionReceipt', transaction.hash)).toMatchObject({
    status: '0x1',
    type: '0x3',
    blobGasUsed: BLOB_GAS,
    blobGasPrice: '0x1',
  })
  expect(await node.result('eth_getTransactionByHash', transaction.hash)).toMatchObject({
    type: '0x3',
    blobVersionedHashes: transaction.blobVersionedHashes,
    maxFeePerBlobGas: '0xa',
  })
  expect(await node.result('eth_getBlockByNumber', 'latest', false)).toMatchObject({
    blobGasUsed: BLOB_GAS,
    excessBlobGas: '0x0',
  })
})

test('blobs raise the excess of the next block, as on layer 1, and leave the base fee alone', async () => {
  const node = await start(MANUAL)
  const sidecar = constantSidecar([5n, 6n, 7n, 8n])
  for (const from of [0, 1])
    await node.result('eth_sendRawTransaction', bytesToHex(signBlobTransfer({ from, sidecar }).sent))
  await node.result('evm_mine')
  await node.result('evm_mine')

  const blocks = await Promise.all(['0x1', '0x2'].map((number) => node.result('eth_getBlockByNumber', number, false)))

  // Below the reserve price a third of the eight blobs counts (EIP-7918).
  expect(blocks).toMatchObject([{ blobGasUsed: '0x100000', excessBlobGas: '0x0' }, { excessBlobGas: '0x55555' }])
  expect(Number(blocks[1]!.baseFeePerGas)).toBeLessThanOrEqual(Number(blocks[0]!.baseFeePerGas))
})

test('a blob with a wrong proof is refused, and every blob where the chain has none', async () => {
  const node = await start()
  const sidecar = constantSidecar([5n], 0)
  const wrong = { ...sidecar, commitments: constantSidecar([6n], 0).commitments }
  const refused = await node.request('eth_sendRawTransaction', bytesToHex(signBlobTransfer({ sidecar: wrong }).sent))
  expect(refused.error?.message).toContain('proof')

  const layer2 = await startRpcNode({ development: true })
  const { error } = await layer2.request('eth_sendRawTransaction', bytesToHex(signBlobTransfer().sent))
  expect(error).toMatchObject({ code: -32000, message: 'transaction type not supported' })
})

test('eth_config shows the blob schedule of a chain with blobs', async () => {
  const node = await start()

  expect(await node.result('eth_config')).toMatchObject({ current: { blobSchedule: { target: 6, max: 9 } } })
  expect(createNetwork().genesis.config.layer2).not.toHaveProperty('hasBlobs')
})

test('eth_sendRawTransactionSync refuses a blob fee cap below the blob base fee with code 5, also behind one', async () => {
  const { genesis } = createNetwork({ hasBlobs: true })
  const costly = { ...genesis, header: { ...genesis.header, excessBlobGas: 20_000_000n } }
  const node = await startRpcNode({ development: true }, { genesis: costly, development: { mining: MANUAL } })
  const blocked = signBlobTransfer({ maxFeePerBlobGas: 10n })
  const behind = signTransfer({ nonce: 1n })

  const { error } = await node.request('eth_sendRawTransactionSync', bytesToHex(blocked.sent))

  const message = expect.stringContaining('max fee per blob gas less than block blob gas fee: maxFeePerBlobGas 10')
  expect(error).toMatchObject({ code: 5, data: blocked.transaction.hash, message })
  expect(node.node.view().pool.size).toBe(0)
  await node.result('eth_sendRawTransaction', bytesToHex(blocked.sent))
  const second = await node.request('eth_sendRawTransactionSync', bytesToHex(behind.raw))
  const cause = expect.stringContaining(blocked.transaction.hash)
  expect(second.error).toMatchObject({ code: 5, data: behind.hash, message: cause })
  const paying = signBlobTransfer({ from: 1, maxFeePerBlobGas: 1_000n })
  const receipt = node.result('eth_sendRawTransactionSync', bytesToHex(paying.sent))
  while (node.node.view().pool.size < 2) await new Promise((resolve) => setImmediate(resolve))
  await node.result('evm_mine')
  expect(await receipt).toMatchObject({ transactionHash: paying.transaction.hash, status: '0x1' })
})
