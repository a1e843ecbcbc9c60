import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ChainDirectories, runChain } from '../../../test/support/chain-directory.ts'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import {
  BASE_FEE_VAULT_ADDRESS,
  L1_BLOCK_ADDRESS,
  L1_FEE_VAULT_ADDRESS,
  OPERATOR_FEE_VAULT_ADDRESS,
  SEQUENCER_FEE_VAULT_ADDRESS,
} from '../../chain/constants.ts'
import { readL1BlockFees } from '../../chain/fees/l1-block.ts'
import { l1Fee } from '../../chain/fees/l1-fee.ts'
import { layer2RulesOf } from '../../chain/forks/layer2-rules.ts'
import { createNetwork, NETWORK_UPGRADES, type NetworkUpgrade } from '../../chain/genesis/networks.ts'
import { DEPOSITOR_ADDRESS, encodeL1Attributes, l1AttributesOf } from '../../chain/system-transactions/l1-attributes.ts'
import { DEFAULT_L1_SETTINGS } from '../../chain/system-transactions/simulated-l1.ts'
import { type Address, bytesToHex } from '../../primitives/hex.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import { MANUAL } from '../development/mining-mode.ts'
import { readBlockFile } from '../tools/block-file.ts'
import { exportChain } from '../tools/export-chain.ts'
import { importChain } from '../tools/import-chain.ts'
import { verifyChain } from '../tools/verify-chain.ts'
import { LATEST, PENDING } from '../view/block-reference.ts'

const RULES = layer2RulesOf('jovian')
const OPERATOR = { operatorFeeScalar: 3n, operatorFeeConstant: 1_000n }
const directories = new ChainDirectories()
afterAll(() => directories.remove())

let manual: ManualNode

function balanceOf(address: Address): bigint {
  const view = manual.node.view()
  return view.account(view.state(LATEST)!, address)?.balance ?? 0n
}

function block(number: number) {
  return manual.node.view().block({ kind: 'number', number })!
}

async function seal(count: number): Promise<void> {
  for (let sealed = 0; sealed < count; sealed++) await manual.nextBlock()
}

describe('a chain of the OP stack', () => {
  beforeEach(async () => {
    manual = await startManualNode({ network: { upgrade: 'jovian' }, l1: { ...DEFAULT_L1_SETTINGS, ...OPERATOR } })
  })
  afterEach(() => manual.node.stop())

  test('begins every block with the L1 attributes, which its first flashblock announces', async () => {
    const { block: open, receipts } = manual.node.view().block(PENDING)!
    expect(open.transactions).toHaveLength(1)
    expect(open.transactions[0]).toMatchObject({ type: 0x7e, from: DEPOSITOR_ADDRESS, to: L1_BLOCK_ADDRESS })
    expect(receipts[0]).toMatchObject({ outcome: { status: 1 }, deposit: { nonce: 0n, version: 1n } })
    await manual.nextBlock()
    await manual.nextBlock()
    expect([1, 2].map((number) => block(number).receipts[0]?.deposit)).toEqual([
      { nonce: 0n, version: 1n },
      { nonce: 1n, version: 1n },
    ])
    expect(l1AttributesOf(block(2).block)).toMatchObject({ sequenceNumber: 1n, ...OPERATOR })
  })

  test('stores the values of layer 1 in L1Block', async () => {
    await manual.nextBlock()
    const view = manual.node.view()
    const state = view.state(LATEST)!
    const fees = readL1BlockFees((slot) => view.storage(state, L1_BLOCK_ADDRESS, slot), RULES)
    expect(fees).toMatchObject({
      l1BaseFee: DEFAULT_L1_SETTINGS.baseFee,
      l1BlobBaseFee: 1n,
      baseFeeScalar: 2_269n,
      blobBaseFeeScalar: 1_055_762n,
      daFootprintGasScalar: 148,
      ...OPERATOR,
    })
    const { number, timestamp } = l1AttributesOf(block(1).block)!
    expect(view.storage(state, L1_BLOCK_ADDRESS, bigintToSlot(0n))).toBe((timestamp << 64n) | number)
  })

  test('charges the L1 fee and the operator fee, and pays each fee to its vault', async () => {
    const transfer = signTransfer({ nonce: 0n, value: 5n })
    const before = balanceOf(transfer.from)
    await manual.node.submit(transfer.raw)
    await manual.nextBlock()
    const found = block(1)
    const [attributes, receipt] = found.receipts
    expect(found.block.transactions[1]?.hash).toBe(transfer.hash)
    expect(receipt?.cumulativeGasUsed).toBe(attributes!.gasUsed + 21_000)

    const baseFee = found.block.header.baseFeePerGas!
    const forData = l1Fee(
      transfer.raw,
      {
        l1BaseFee: DEFAULT_L1_SETTINGS.baseFee,
        l1BlobBaseFee: 1n,
        baseFeeScalar: 2_269n,
        blobBaseFeeScalar: 1_055_762n,
        overhead: 0n,
        scalar: 0n,
      },
      RULES,
    ).fee
    // Jovian: gas times the scalar times 100, and the constant.
    const forOperator = 21_000n * 3n * 100n + 1_000n
    expect(forData).toBeGreaterThan(0n)
    expect(balanceOf(L1_FEE_VAULT_ADDRESS)).toBe(forData)
    expect(balanceOf(OPERATOR_FEE_VAULT_ADDRESS)).toBe(forOperator)
    expect(balanceOf(BASE_FEE_VAULT_ADDRESS)).toBe(21_000n * baseFee)
    expect(balanceOf(SEQUENCER_FEE_VAULT_ADDRESS)).toBe(21_000n * 1_000_000n)
    const gas = 21_000n * (baseFee + 1_000_000n)
    expect(before - balanceOf(transfer.from)).toBe(5n + gas + forData + forOperator)
  })

  test('counts the DA footprint of user transactions in blobGasUsed', async () => {
    const transfer = signTransfer({ nonce: 0n })
    await manual.node.submit(transfer.raw)
    await manual.nextBlock()
    // The smallest estimate is 100 bytes.
    expect(block(1).block.header.blobGasUsed).toBe(14_800)
    expect(block(1).receipts.map(({ blobGasUsed }) => blobGasUsed)).toEqual([0, 14_800])
  })

  test('admits a transaction only if its sender can pay for its data, too', async () => {
    const rich = signTransfer({ nonce: 0n })
    const balance = balanceOf(rich.from)
    const gas = 21_000n * 10_000_000_000n
    const tooMuch = signTransfer({ nonce: 0n, value: balance - gas })
    const refused = await manual.node.submit(tooMuch.raw)
    expect(refused).toMatchObject({ kind: 'refused', refusal: { code: 'INSUFFICIENT_FUNDS', balance } })
    const { cost } = (refused as unknown as { refusal: { cost: bigint } }).refusal
    expect(cost).toBeGreaterThan(balance)
    const fitting = signTransfer({ nonce: 0n, value: balance - gas - 2n * (cost - balance) })
    expect(await manual.node.submit(fitting.raw)).toMatchObject({ kind: 'accepted' })
    await manual.nextBlock()
    expect(block(1).block.transactions[1]?.hash).toBe(fitting.hash)
  })

  test('counts the data of pooled transactions of the same sender', async () => {
    const first = signTransfer({ nonce: 0n })
    const balance = balanceOf(first.from)
    const gas = 21_000n * 10_000_000_000n
    await manual.node.submit(first.raw)
    const second = signTransfer({ nonce: 1n, value: balance - 1n - 2n * gas })
    const refused = await manual.node.submit(second.raw)
    expect(refused).toMatchObject({ kind: 'refused', refusal: { code: 'INSUFFICIENT_FUNDS' } })
    const { cost, queuedCost } = (refused as unknown as { refusal: { cost: bigint; queuedCost: bigint } }).refusal
    // Both pay for their data.
    expect(queuedCost).toBeGreaterThan(1n + gas)
    expect(cost).toBeGreaterThan(second.value + gas)
  })

  test('reverts a transaction that sets the L1 attributes, unless the depositor sends it', async () => {
    const attributes = l1AttributesOf(manual.node.view().block(PENDING)!.block)!
    const data = encodeL1Attributes({ ...attributes, baseFee: 7n }, 'jovian')
    const forged = signTransfer({ nonce: 0n, to: L1_BLOCK_ADDRESS, value: 0n, gasLimit: 500_000n, data })
    await manual.node.submit(forged.raw)
    await manual.nextBlock()
    expect(block(1).receipts.map(({ outcome }) => outcome)).toEqual([{ status: 1 }, { status: 0 }])
    const view = manual.node.view()
    const state = view.state(LATEST)!
    const { l1BaseFee } = readL1BlockFees((slot) => view.storage(state, L1_BLOCK_ADDRESS, slot), RULES)
    expect(l1BaseFee).toBe(DEFAULT_L1_SETTINGS.baseFee)
    // The same calldata with the other base fee is that of the depositor.
    expect(bytesToHex(encodeL1Attributes(attributes, 'jovian'))).toBe(bytesToHex(block(1).block.transactions[0]!.data))
  })

  test('leaves stored blocks without user transactions out of an unwind, except the lowest', async () => {
    const listed: number[] = []
    manual.node.events.on('unwound', ({ blocks }) => listed.push(...blocks.map(({ block }) => block.header.number)))
    await seal(19)
    await manual.node.submit(signTransfer({ nonce: 0n }).raw)
    await seal(21)
    await manual.node.idle()
    const { base } = manual.node.view().head
    expect(base.number).toBeGreaterThan(20)

    expect(await manual.node.setHead(5)).toEqual({ kind: 'unwound' })

    expect(listed.filter((number) => number <= base.number)).toEqual([20, 6])
  })
})

test.each(NETWORK_UPGRADES)('blocks of %s can be built, exported, imported and verified', async (upgrade) => {
  const network = { upgrade: upgrade as NetworkUpgrade }
  const { genesis } = createNetwork(network)
  const directory = directories.next()
  await runChain(directory, { network })
  expect(await verifyChain({ directory, genesis }, async () => {})).toMatchObject({
    kind: 'sound',
    blocks: 7,
    transactions: 24,
  })
  const file = directories.next()
  await exportChain({ directory, genesis }, file, {}, async () => {})
  const copied = directories.next()
  const outcome = await importChain({ directory: copied, genesis, history: 'all' }, readBlockFile(file), async () => {})
  expect(outcome).toMatchObject({ kind: 'imported', imported: 6, newest: 6 })
})

test('an import refuses a block without the L1 attributes', async () => {
  const plain = createNetwork({ upgrade: 'jovian' }).genesis
  // The same block 0 and rules, except for the transactions of the system.
  const { upgradeTimes: _, ...layer2 } = plain.config.layer2!
  const genesis = { ...plain, config: { ...plain.config, layer2 } }
  const directory = directories.next()
  const node = await startManualNode({ directory, genesis })
  await node.nextBlock()
  await node.node.stop()
  const file = directories.next()
  await exportChain({ directory, genesis }, file, {}, async () => {})
  const into = { directory: directories.next(), genesis: plain, history: 'all' as const }
  expect(await importChain(into, readBlockFile(file), async () => {})).toMatchObject({
    kind: 'refused',
    newest: 0,
    message: expect.stringContaining('its first transaction does not set the L1 attributes'),
  })
})

test('a block that is mined on demand begins with the L1 attributes, and a forecast has the pool behind them', async () => {
  manual = await startManualNode({ network: { upgrade: 'jovian' }, development: { mining: MANUAL } })
  onTestFinished(() => manual.node.stop())
  const transfer = signTransfer({ nonce: 0n })
  await manual.node.submit(transfer.raw)
  const forecast = await manual.node.forecast!(manual.node.view())
  expect(forecast.block(PENDING)!.block.transactions.map(({ type }) => type)).toEqual([0x7e, 2])
  await manual.node.development!.state.setBalance(transfer.from, 10n ** 24n)
  await manual.node.development!.mining.mine({ blocks: 3 })
  expect([1, 2, 3].map((number) => block(number).block.transactions.map(({ type }) => type))).toEqual([
    [0x7e, 2],
    [0x7e],
    [0x7e],
  ])
})
