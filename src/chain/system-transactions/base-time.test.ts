import { describe, expect, it } from 'vitest'
import { type Address, bytesToHex, ZERO_HASH } from '../../primitives/hex.ts'
import type { Header } from '../block/header.ts'
import type { DenimSchedule } from '../forks/chain-config.ts'
import type { DepositTransaction, RecoveredTransaction } from '../transaction/transaction.ts'
import { createTransaction } from '../transaction/transaction-codec.ts'
import { baseTimeFault, baseTimeResultFault } from '../validation/base-time-rules.ts'
import { BASE_TIME_ADDRESS, baseTimeTransaction, blockMilliseconds } from './base-time.ts'
import { DEPOSITOR_ADDRESS } from './l1-attributes.ts'

describe('the BaseTime transaction', () => {
  it.each([
    [
      1n,
      200,
      '0x1069ed2cd445ebff576c8ac2ad8bfe550f5c700598ab04ead80cb51839aa8aeb',
      '0x518dd858e79c0297e6d7fb7114e6d6669187fb4ca509fa6484dec1cd6b0239ac',
    ],
    [
      9n,
      600,
      '0x821a03cf41d4197c4b19f8f5cf89774b6771d14a189bf35f29b2775453bb5d7d',
      '0x4df213500d2feb104f67c64d62828d6374ce822948e81128fa5ba1ebe5d0c13d',
    ],
    [
      50_000_000n,
      0,
      '0x6630a4fec18729ff5d6ef8fd66e49e7d0e84bee61f786ef951acb014089000d0',
      '0x7ea40c61cc970c11c14f2cf3efd55804141cf9b82337909951078231eb4c04f3',
    ],
  ])('of block %s with %s ms has the published hashes', (number, millisPart, sourceHash, hash) => {
    expect(baseTimeTransaction(number, millisPart)).toMatchObject({ sourceHash, hash })
  })

  it('has the published bytes', () => {
    expect(bytesToHex(baseTimeTransaction(9n, 600).raw)).toBe(
      '0x7ef877a0821a03cf41d4197c4b19f8f5cf89774b6771d14a189bf35f29b2775453bb5d7d94deaddeaddeaddeaddeaddeaddeaddeaddead00019442000000000000000000000000000000000000308080830f424080a486bdf3940000000000000000000000000000000000000000000000000000000000000258',
    )
  })
})

// Block 9 comes 1,800 ms after genesis.
const SCHEDULE: DenimSchedule = { genesisNumber: 0n, genesisTime: 1_000n, denimTime: 1_000n }
const LATER: DenimSchedule = { ...SCHEDULE, denimTime: 5_000n }
const PARENT_MS = 1_001_600n
const ATTRIBUTES = createTransaction({ ...baseTimeTransaction(9n, 800), to: '0x42' as Address })
const GOOD = baseTimeTransaction(9n, 800)

function blockOf(transactions: readonly RecoveredTransaction[], number = 9, timestamp = 1_001n) {
  return { header: { number, timestamp }, transactions }
}

function changed(members: Partial<DepositTransaction>): DepositTransaction {
  return { ...GOOD, ...members }
}

function withData(...changes: readonly (readonly [index: number, byte: number])[]): Uint8Array {
  const data = Uint8Array.from(GOOD.data)
  for (const [index, byte] of changes) data[index] = byte
  return data
}

function faultOf(second: RecoveredTransaction, ...others: readonly RecoveredTransaction[]): string | undefined {
  return baseTimeFault(blockOf([ATTRIBUTES, second, ...others]), SCHEDULE, PARENT_MS)
}

describe('baseTimeFault', () => {
  it('accepts the block of the schedule', () => {
    expect(faultOf(GOOD)).toBeUndefined()
    expect(baseTimeFault(blockOf([ATTRIBUTES]), LATER, PARENT_MS)).toBeUndefined()
  })

  it.each([
    ['BaseTime metadata transaction is not a deposit', { ...GOOD, type: 2 } as unknown as RecoveredTransaction],
    ['invalid BaseTime metadata source hash', changed({ sourceHash: ZERO_HASH })],
    ['invalid BaseTime metadata sender', changed({ from: BASE_TIME_ADDRESS })],
    ['invalid BaseTime metadata recipient', changed({ to: DEPOSITOR_ADDRESS })],
    ['BaseTime metadata deposit has non-zero mint', changed({ mint: 1n })],
    ['BaseTime metadata deposit has non-zero value', changed({ value: 1n })],
    ['invalid BaseTime metadata gas limit', changed({ gasLimit: 999_999n })],
    ['BaseTime metadata deposit is a system transaction', changed({ isSystemTransaction: true })],
    [
      'invalid BaseTime metadata calldata: the provided calldata is too short, missing the 4 selector bytes',
      changed({ data: new Uint8Array(3) }),
    ],
    ['invalid BaseTime metadata calldata: invalid BaseTime transaction selector', changed({ data: withData([0, 0]) })],
    [
      'invalid BaseTime metadata calldata: invalid BaseTime calldata length. Expected 36, got 35',
      changed({ data: withData().subarray(0, 35) }),
    ],
    ['invalid BaseTime metadata calldata: invalid BaseTime calldata padding', changed({ data: withData([33, 1]) })],
    [
      'invalid BaseTime metadata calldata: invalid BaseTime timestamp millis part: 801',
      changed({ data: withData([35, 0x21]) }),
    ],
    [
      'invalid BaseTime metadata calldata: invalid BaseTime timestamp millis part: 1000',
      changed({ data: withData([34, 0x03], [35, 0xe8]) }),
    ],
  ])('refuses a transaction with the reference error text: %s', (fault, transaction) => {
    expect(faultOf(transaction)).toBe(fault)
  })

  it('reports a missing transaction, a second one, and one before Denim', () => {
    expect(baseTimeFault(blockOf([ATTRIBUTES]), SCHEDULE, PARENT_MS)).toBe('missing BaseTime metadata deposit at tx[1]')
    expect(faultOf(GOOD, GOOD)).toBe('additional protocol-authorized BaseTime setter at tx[2]')
    const early = baseTimeFault(blockOf([ATTRIBUTES, GOOD]), LATER, PARENT_MS)
    expect(early).toBe('protocol-authorized BaseTime setter at tx[1] before Denim')
  })

  it('accepts calls of the setter by others: they revert', () => {
    expect(faultOf(GOOD, changed({ from: '0x01' as Address }))).toBeUndefined()
  })

  it('reports times that are not 200 ms after the parent, or not those of the schedule', () => {
    const late = blockOf([ATTRIBUTES, baseTimeTransaction(9n, 600)])
    expect(baseTimeFault(late, SCHEDULE, PARENT_MS)).toBe(
      'invalid BaseTime progression from 1001600ms to 1001600ms; expected exactly 200ms',
    )
    expect(baseTimeFault(late, SCHEDULE, PARENT_MS - 200n)).toBe(
      'BaseTime scheduled timestamp mismatch: expected 1001800ms, got 1001600ms',
    )
  })

  it('reports a first Denim block that does not begin a second', () => {
    const first = blockOf([ATTRIBUTES, baseTimeTransaction(2n, 200)], 2, 1_004n)
    const schedule = { ...SCHEDULE, denimTime: 1_004n }
    expect(baseTimeFault(first, schedule, 1_002_000n)).toBe(
      'invalid first Denim BaseTime anchor: expected 0ms, got 200ms',
    )
  })
})

describe('baseTimeResultFault', () => {
  const [success, failure] = [{ outcome: { status: 1 } }, { outcome: { status: 0 } }] as const

  it.each([
    ['BaseTime receipt count mismatch: 3 transactions, 2 receipts', 3, [success, success], 800n],
    ['missing BaseTime metadata receipt at tx[1]', 1, [success], 800n],
    ['BaseTime metadata transaction execution failed', 2, [success, failure], 800n],
    ['BaseTime final state mismatch: expected 800ms, got 600ms', 2, [success, success], 600n],
  ])('reports the fault %s of an executed block', (fault, transactions, receipts, stored) => {
    expect(baseTimeResultFault({ transactions, receipts, stored }, 800)).toBe(fault)
  })

  it.each([800n, (0x1234n << 128n) + 800n])('accepts an executed block that stored %s', (stored) => {
    expect(baseTimeResultFault({ transactions: 2, receipts: [success, success], stored }, 800)).toBeUndefined()
  })
})

describe('blockMilliseconds', () => {
  it.each([
    [42n, 200, 0xa4d8n],
    [1_700_000_000n, 200, 0x18bcfe568c8n],
  ])('combines the seconds %s and the millisecond part %s', (timestamp, millisPart, expected) => {
    const transactions = [ATTRIBUTES, baseTimeTransaction(9n, millisPart)]

    expect(blockMilliseconds({ header: { number: 9, timestamp } as Header, transactions })).toBe(expected)
  })
})
