import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signBlobTransfer } from '../../../test/support/blob-transactions.ts'
import { ADDRESSES, stateDiffs } from '../../../test/support/naive-state.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { Header } from '../../chain/block/header.ts'
import { bloomOf } from '../../chain/receipt/bloom.ts'
import type { Log } from '../../chain/receipt/log.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { readList } from '../../chain/rlp-fields.ts'
import type { DropReason } from '../../chain/transaction/drop-reason.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { type Hash, ZERO_HASH } from '../../primitives/hex.ts'
import { bigintToHash, MAX_UINT256 } from '../../primitives/quantity.ts'
import { decodeRlp, encodeRlp } from '../../primitives/rlp.ts'
import { type ChainRecord, decodeRecord, decodeRecordWith, encodeRecord, RecordError } from './record.ts'

const hash: fc.Arbitrary<Hash> = fc.bigInt(0n, MAX_UINT256).map(bigintToHash)
const log: fc.Arbitrary<Log> = fc.record({
  address: fc.constantFrom(...ADDRESSES),
  topics: fc.array(hash, { maxLength: 4 }),
  data: fc.uint8Array({ maxLength: 70 }),
})
const receipt: fc.Arbitrary<Receipt> = fc
  .record({
    type: fc.constantFrom(0, 1, 2, 3, 4, 0x7e),
    outcome: fc.oneof(fc.constantFrom({ status: 0 as const }, { status: 1 as const }), fc.record({ stateRoot: hash })),
    gasUsed: fc.nat(),
    logs: fc.array(log, { maxLength: 3 }),
    firstLogIndex: fc.nat(),
    contractAddress: fc.option(fc.constantFrom(...ADDRESSES)),
    effectiveGasPrice: fc.bigInt(0n, 2n ** 90n),
    blobGasUsed: fc.option(fc.nat(), { nil: undefined }),
    blobGasPrice: fc.option(fc.bigInt(0n, 2n ** 70n), { nil: undefined }),
    deposit: fc.option(fc.record({ nonce: fc.bigInt(0n, 2n ** 64n - 1n), version: fc.constant(1n) }), {
      nil: undefined,
    }),
  })
  .map(({ blobGasUsed, blobGasPrice, deposit, ...fields }) => ({
    ...fields,
    cumulativeGasUsed: fields.gasUsed,
    logsBloom: bloomOf(fields.logs),
    ...(blobGasUsed !== undefined && { blobGasUsed }),
    ...(blobGasPrice !== undefined && { blobGasPrice }),
    ...(deposit !== undefined && { deposit }),
  }))
const header: Header = {
  parentHash: ZERO_HASH,
  sha3Uncles: ZERO_HASH,
  miner: ADDRESSES[0]!,
  stateRoot: ZERO_HASH,
  transactionsRoot: ZERO_HASH,
  receiptsRoot: ZERO_HASH,
  logsBloom: Buffer.alloc(256),
  difficulty: 0n,
  number: 7,
  gasLimit: 400_000_000n,
  gasUsed: 0,
  timestamp: 1_700_000_000n,
  extraData: Buffer.alloc(17),
  mixHash: ZERO_HASH,
  nonce: Buffer.alloc(8),
  baseFeePerGas: 5_000_000n,
  withdrawalsRoot: ZERO_HASH,
  blobGasUsed: 0,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: ZERO_HASH,
  requestsHash: ZERO_HASH,
}
const withdrawal = fc.record({
  index: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  validatorIndex: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  address: fc.constantFrom(...ADDRESSES),
  amount: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
})
const dropReason: fc.Arbitrary<DropReason> = fc.oneof(
  fc.record({ code: fc.constant('REPLACED' as const), by: hash }),
  fc.record({ code: fc.constantFrom('NONCE_USED', 'INSUFFICIENT_FUNDS', 'EVICTED', 'EXPIRED') }),
  fc.record({ code: fc.constant('INVALID' as const), reason: fc.string({ unit: 'grapheme' }) }),
  fc.record({ code: fc.constant('REORGANISED' as const), blockNumber: fc.nat(), blockHash: hash }),
)
const transactions = [0n, 1n, 2n].map((nonce) => signTransfer({ nonce }))
const record: fc.Arbitrary<ChainRecord> = fc.oneof(
  fc.record({
    kind: fc.constant('flashblock' as const),
    header: fc.nat().map((number) => ({ ...header, number })),
    index: fc.nat({ max: 100 }),
    transactions: fc.subarray(transactions),
    receipts: fc.array(receipt, { maxLength: 3 }),
    diff: stateDiffs,
    withdrawals: fc.array(withdrawal, { maxLength: 2 }),
    isLast: fc.boolean(),
  }),
  fc.record({ kind: fc.constantFrom('seal' as const, 'unwind' as const), number: fc.nat(), hash }),
  fc.record({ kind: fc.constant('unwind' as const), number: fc.nat(), hash, alterations: stateDiffs }),
  fc.record({ kind: fc.constant('alter' as const), number: fc.nat(), hash, diff: stateDiffs }),
  fc.record({
    kind: fc.constant('epoch' as const),
    leader: fc.string({ unit: 'grapheme' }),
    token: fc.uint8Array({ maxLength: 16 }),
  }),
  fc.record({ kind: fc.constant('pool' as const), transactions: fc.subarray(transactions) }),
  fc.record({ kind: fc.constant('drop' as const), transactions: fc.array(fc.record({ hash, reason: dropReason })) }),
)

test('round-trips a record', () => {
  fc.assert(
    fc.property(record, (value) => {
      expect(plain(decodeRecord(encodeRecord(value)))).toEqual(plain(value))
    }),
    { numRuns: 300 },
  )
})

test('round-trips a record with any known transactions, and returns the known objects', () => {
  fc.assert(
    fc.property(record, fc.subarray(transactions), (value, pooled) => {
      const byHash = new Map(pooled.map((transaction) => [transaction.hash, transaction]))
      const decoded = decodeRecordWith(encodeRecord(value), (hash) => byHash.get(hash))
      expect(plain(decoded)).toEqual(plain(value))
      if (decoded.kind !== 'flashblock') return
      const values = decoded.transactions.filter((transaction) => pooled.some((one) => one === transaction))
      expect(values.length).toBe(decoded.transactions.filter(({ hash }) => byHash.has(hash)).length)
    }),
    { numRuns: 100 },
  )
})

test('decodes a transaction that is known with blobs or with another sender from the record', () => {
  const { transaction: blobs } = signBlobTransfer({ nonce: 0n })
  const sent = signTransfer({ nonce: 0n })
  const diff = { accounts: new Map(), storage: new Map(), code: new Map() }
  const value = {
    kind: 'flashblock',
    header,
    index: 0,
    transactions: [blobs, sent],
    receipts: [],
    diff,
    withdrawals: [],
    isLast: false,
  } as const
  const values = new Map<Hash, PoolTransaction>([
    [blobs.hash, blobs],
    [sent.hash, { ...sent, from: ADDRESSES[3]! }],
  ])
  const decoded = decodeRecordWith(encodeRecord(value), (hash) => values.get(hash))
  if (decoded.kind !== 'flashblock') throw new Error('another kind')
  expect(decoded.transactions.map(({ from }) => from)).toEqual([blobs.from, sent.from])
  expect(decoded.transactions[0]).not.toHaveProperty('sidecar')
})

test('reads a flashblock of five members, as older programs wrote it, as one that more can follow', () => {
  const diff = { accounts: new Map(), storage: new Map(), code: new Map() }
  const content = {
    kind: 'flashblock',
    header,
    index: 3,
    transactions: [],
    receipts: [],
    diff,
    withdrawals: [],
  } as const
  const items = readList(decodeRlp(encodeRecord({ ...content, isLast: false })), 'a record')

  expect(items).toHaveLength(2 + 5)
  expect(decodeRecord(encodeRlp(items))).toMatchObject({ index: 3, isLast: false })
  expect(decodeRecord(encodeRlp([...items, Uint8Array.of(1)]))).toMatchObject({ index: 3, isLast: true })
  for (const last of [0, 2]) expect(() => decodeRecord(encodeRlp([...items, Uint8Array.of(last)]))).toThrow(RecordError)
})

test('throws only the documented error on invalid bytes', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), fc.array(fc.uint8Array({ maxLength: 8 })).map(encodeRlp)), (bytes) => {
      try {
        decodeRecord(bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(RecordError)
      }
    }),
  )
})

test('rejects a record of a newer version by name', () => {
  expect(() => decodeRecord(encodeRlp([new Uint8Array([2]), new Uint8Array([2])]))).toThrow(/version 2/)
})

/** Bytes of any class as hex, maps as sorted entries, for comparison. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`
  if (value instanceof Map)
    return [...value].map(([key, item]) => [key, plain(item)]).sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1))
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
}
