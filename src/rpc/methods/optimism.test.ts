import { beforeEach, describe, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { outputRoot } from '../../chain/block/output-root.ts'
import { L1_FEE_VAULT_ADDRESS } from '../../chain/constants.ts'
import { DEFAULT_L1_SETTINGS } from '../../chain/system-transactions/simulated-l1.ts'
import { bytesToHex, type Hash } from '../../primitives/hex.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const RECIPIENT = DEVELOPMENT_ACCOUNTS[9]!.address

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode({}, { network: { upgrade: 'jovian' } })
})
interface BlockId {
  readonly hash: string
  readonly number: number
}

function idOf({ hash, number }: BlockId): BlockId {
  return { hash, number }
}

async function safeHeadAt(l1Block: number): Promise<{ readonly l1Block: BlockId; readonly safeHead: BlockId }> {
  const { l1Block: origin, safeHead } = await node.result('optimism_safeHeadAtL1Block', `0x${l1Block.toString(16)}`)
  return { l1Block: origin as unknown as BlockId, safeHead: safeHead as unknown as BlockId }
}

async function sendAndSeal(options: Parameters<typeof signTransfer>[0]): Promise<string> {
  const { raw, hash } = signTransfer(options)
  await node.result('eth_sendRawTransaction', bytesToHex(raw))
  await node.nextBlock()
  return hash
}

describe('receipts of an OP-stack chain', () => {
  test('have the fees for data on layer 1, which the vault received', async () => {
    const hash = await sendAndSeal({ nonce: 0n })
    const receipt = await node.result('eth_getTransactionReceipt', hash)
    expect(receipt).toMatchObject({
      l1GasPrice: '0x3b9aca00',
      l1GasUsed: '0x640',
      l1BaseFeeScalar: '0x8dd',
      l1BlobBaseFee: '0x1',
      l1BlobBaseFeeScalar: '0x101c12',
      daFootprintGasScalar: '0x94',
      blobGasUsed: '0x39d0',
    })
    // Zero in the settings: op-geth leaves both out.
    expect(receipt).not.toHaveProperty('operatorFeeScalar')
    expect(receipt).not.toHaveProperty('operatorFeeConstant')
    expect(receipt.l1Fee).toBe(await node.result('eth_getBalance', L1_FEE_VAULT_ADDRESS, 'latest'))
    expect(BigInt(String(receipt.l1Fee))).toBeGreaterThan(0n)
    const [deposit, sent] = (await node.result('eth_getBlockReceipts', '0x1')) as unknown as Record<string, string>[]
    expect(sent).toEqual(receipt)
    expect(deposit).toMatchObject({
      type: '0x7e',
      l1Fee: '0x0',
      l1GasUsed: '0x0',
      depositNonce: '0x0',
      depositReceiptVersion: '0x1',
      effectiveGasPrice: '0x0',
    })
  })

  test('have the operator fee if it is not zero', async () => {
    await node.stop()
    const l1 = { ...DEFAULT_L1_SETTINGS, operatorFeeScalar: 3n }
    node = await startRpcNode({}, { network: { upgrade: 'jovian' }, l1 })
    const hash = await sendAndSeal({ nonce: 0n })
    const receipt = await node.result('eth_getTransactionReceipt', hash)
    expect(receipt).toMatchObject({ operatorFeeScalar: '0x3', operatorFeeConstant: '0x0' })
  })

  test('are zero on a chain without system transactions', async () => {
    await node.stop()
    node = await startRpcNode()
    const hash = await sendAndSeal({ nonce: 0n })
    expect(await node.result('eth_getTransactionReceipt', hash)).toMatchObject({ l1Fee: '0x0', l1GasPrice: '0x0' })
  })
})

describe('calls that offer a gas price', () => {
  const GAS_PRICE = 10_000_000_000n
  const offer = { from: SENDER, to: RECIPIENT, gasPrice: `0x${GAS_PRICE.toString(16)}`, gas: '0x5208' }

  /** A call whose value leaves the sender this much besides its gas. */
  async function callLeaving(wei: bigint) {
    const balance = BigInt(String(await node.result('eth_getBalance', SENDER, 'pending')))
    return { ...offer, value: `0x${(balance - 21_000n * GAS_PRICE - wei).toString(16)}` }
  }

  test.each([
    ['eth_call', 'insufficient funds'],
    ['eth_estimateGas', 'gas required exceeds allowance (20999)'],
  ])('%s counts the L1 fee', async (method, message) => {
    const enough = await node.request(method, await callLeaving(10n ** 13n), 'pending')
    expect(enough.error).toBeUndefined()
    const { error } = await node.request(method, await callLeaving(1n), 'pending')
    expect(error?.message).toContain(message)
  })

  test('eth_estimateGas allows the gas that is left after the L1 fee and the operator fee', async () => {
    await node.stop()
    const l1 = { ...DEFAULT_L1_SETTINGS, operatorFeeScalar: 1_000_000n, operatorFeeConstant: 5n }
    node = await startRpcNode({}, { network: { upgrade: 'jovian' }, l1 })
    const { error } = await node.request('eth_estimateGas', { ...(await callLeaving(10n ** 12n)), gas: undefined })
    expect(error?.message).toContain('gas required exceeds allowance')
    const { result } = await node.request('eth_estimateGas', { ...(await callLeaving(10n ** 15n)), gas: undefined })
    expect(result).toBe('0x5208')
  })

  test('are free of it without a gas price', async () => {
    const balance = String(await node.result('eth_getBalance', SENDER, 'pending'))
    expect(await node.result('eth_call', { from: SENDER, to: RECIPIENT, value: balance }, 'pending')).toBe('0x')
  })
})

describe('the optimism namespace', () => {
  test('gives the output root of a block', async () => {
    await node.nextBlock()
    const block = await node.result('eth_getBlockByNumber', '0x1', false)
    const output = await node.result('optimism_outputAtBlock', '0x1')
    expect(output).toMatchObject({
      version: `0x${'00'.repeat(32)}`,
      stateRoot: block.stateRoot,
      withdrawalStorageRoot: block.withdrawalsRoot,
      outputRoot: outputRoot({
        stateRoot: block.stateRoot as Hash,
        withdrawalStorageRoot: block.withdrawalsRoot as Hash,
        blockHash: block.hash as Hash,
      }),
      blockRef: {
        hash: block.hash,
        number: 1,
        parentHash: block.parentHash,
        timestamp: Number(block.timestamp),
        l1origin: { number: Math.floor(Number(block.timestamp) / 12) },
      },
    })
    expect((await node.request('optimism_outputAtBlock', '0x63')).error).toBeDefined()
  })

  test('reads the storage root from the trie before Isthmus', async () => {
    await node.stop()
    node = await startRpcNode({}, { network: { upgrade: 'holocene' } })
    await node.nextBlock()
    const proof = await node.result('eth_getProof', '0x4200000000000000000000000000000000000016', [], '0x1')
    expect(await node.result('optimism_outputAtBlock', '0x1')).toMatchObject({
      withdrawalStorageRoot: proof.storageHash,
    })
  })

  test('follows the newest block', async () => {
    const before = await node.result('optimism_syncStatus')
    await node.nextBlock()
    const after = await node.result('optimism_syncStatus')
    expect(before).toMatchObject({ unsafe_l2: { number: 0 }, finalized_l2: { number: 0 } })
    expect(after).toMatchObject({ unsafe_l2: { number: 1 }, safe_l2: { number: 1 }, finalized_l2: { number: 0 } })
  })

  test.each([
    ['jovian', true],
    ['karst', false],
    ['azul', true],
  ] as const)('optimism_syncStatus with the upgrade %s has a cross-unsafe head: %s', async (upgrade, hasHead) => {
    await node.stop()
    node = await startRpcNode({}, { network: { upgrade } })

    expect(Object.hasOwn((await node.result('optimism_syncStatus')) as object, 'cross_unsafe_l2')).toBe(hasHead)
  })

  test('optimism_safeHeadAtL1Block is the newest safe block of an origin at or below the given one', async () => {
    for (let index = 0; index < 80; index++) await node.nextBlock()
    const status = (await node.result('optimism_syncStatus')) as Record<string, { number: number; hash: string }>
    const { safe_l2: safe, safe_l1: newest } = status as { safe_l2: BlockId; safe_l1: BlockId }

    expect(await safeHeadAt(newest.number)).toEqual({ l1Block: idOf(newest), safeHead: idOf(safe) })
    const before = await safeHeadAt(newest.number - 1)
    expect(before.l1Block.number).toBe(newest.number - 1)
    expect(before.safeHead.number).toBeLessThan(safe.number)
    const next = await node.result('optimism_outputAtBlock', `0x${(before.safeHead.number + 1).toString(16)}`)
    expect(next).toMatchObject({ blockRef: { l1origin: idOf(newest), sequenceNumber: 0 } })
    expect((await node.request('optimism_safeHeadAtL1Block', '0x1')).error?.message).toContain('safe head not found')
  })

  test('exists on chains of the profile op only', async () => {
    await node.stop()
    node = await startRpcNode()
    const { error } = await node.request('optimism_syncStatus')
    expect(error).toMatchObject({ code: -32601, message: expect.stringContaining('see --profile') })
  })
})
