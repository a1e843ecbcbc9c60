import fc from 'fast-check'
import {
  parseTransaction,
  serializeTransaction,
  type TransactionSerializable,
  type Signature as ViemSignature,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { conformanceCases, conformanceJson, hasConformanceData } from '../../../test/support/conformance-data.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { bytesToAddress, bytesToHash, bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../primitives/rlp.ts'
import { recoverAuthority } from './authorization.ts'
import type { SignedTransaction } from './transaction.ts'
import { createTransaction, decodeTransaction, encodeTransaction, recoverTransaction } from './transaction-codec.ts'
import { TransactionDecodeError } from './transaction-decode-error.ts'
import type { TransactionFields } from './transaction-payload.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const u64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
const u256 = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n })
const address = bytes(20).map(bytesToAddress)
const hash = bytes(32).map(bytesToHash)
const recipient = fc.option(address, { nil: null })
const yParity = fc.constantFrom(0 as const, 1 as const)
const signature = fc.record({ r: u256, s: u256, yParity })
const common = {
  nonce: u64,
  gasLimit: u64,
  value: u256,
  data: fc.uint8Array({ maxLength: 100 }),
  signature,
}
const dynamicFee = {
  chainId: u64,
  maxFeePerGas: u256,
  maxPriorityFeePerGas: u256,
  accessList: fc.array(fc.record({ address, storageKeys: fc.array(hash, { maxLength: 3 }) }), { maxLength: 3 }),
}
const authorization = fc.record({
  chainId: u256,
  address,
  nonce: u64,
  yParity: fc.integer({ min: 0, max: 255 }),
  r: u256,
  s: u256,
})

const fields: fc.Arbitrary<TransactionFields> = fc.oneof(
  fc.record({
    type: fc.constant(0 as const),
    chainId: fc.option(u64, { nil: undefined }),
    gasPrice: u256,
    to: recipient,
    ...common,
  }),
  fc.record({
    type: fc.constant(1 as const),
    chainId: u64,
    gasPrice: u256,
    to: recipient,
    accessList: dynamicFee.accessList,
    ...common,
  }),
  fc.record({ type: fc.constant(2 as const), to: recipient, ...dynamicFee, ...common }),
  fc.record({
    type: fc.constant(3 as const),
    to: address,
    maxFeePerBlobGas: u256,
    blobVersionedHashes: fc.array(hash, { maxLength: 3 }),
    ...dynamicFee,
    ...common,
  }),
  fc.record({
    type: fc.constant(4 as const),
    to: address,
    authorizationList: fc.array(authorization, { maxLength: 3 }),
    ...dynamicFee,
    ...common,
  }),
  fc.record({
    type: fc.constant(0x7e as const),
    sourceHash: hash,
    from: address,
    to: recipient,
    mint: u256,
    value: u256,
    gasLimit: u64,
    isSystemTransaction: fc.boolean(),
    data: common.data,
  }),
)

/** One of each type, with no number below 128, so that members can be swapped for others. */
function example(type: SignedTransaction['type']): SignedTransaction {
  const account = bytesToAddress(new Uint8Array(20).fill(0xaa))
  const base = {
    nonce: 1_000n,
    gasLimit: 50_000n,
    to: account,
    value: 2_000n,
    data: new Uint8Array([0xab, 0xcd]),
    signature: { r: 300n, s: 400n, yParity: 1 as const },
  }
  const fees = { chainId: 31_337n, maxFeePerGas: 5_000n, maxPriorityFeePerGas: 4_000n, accessList: [] }
  switch (type) {
    case 0:
      return createTransaction({ type, chainId: 31_337n, gasPrice: 5_000n, ...base })
    case 1:
      return createTransaction({ type, chainId: 31_337n, gasPrice: 5_000n, accessList: [], ...base })
    case 2:
      return createTransaction({ type, ...fees, ...base })
    case 3:
      return createTransaction({
        type,
        maxFeePerBlobGas: 600n,
        blobVersionedHashes: [bigintToHash(1n << 248n)],
        ...fees,
        ...base,
      })
    case 4: {
      const permission = { chainId: 31_337n, address: account, nonce: 200n, yParity: 0, r: 500n, s: 600n }
      return createTransaction({ type, authorizationList: [permission], ...fees, ...base })
    }
  }
}

function failure(raw: Uint8Array): TransactionDecodeError {
  try {
    decodeTransaction(raw)
  } catch (error) {
    if (error instanceof TransactionDecodeError) return error
    throw error
  }
  throw new Error(`decoded: ${bytesToHex(raw)}`)
}

function withMember(transaction: SignedTransaction, index: number, value: RlpItem): Uint8Array {
  const isTyped = transaction.type !== 0
  const members = [...(decodeRlp(isTyped ? transaction.raw.subarray(1) : transaction.raw) as RlpItem[])]
  members[index] = value
  return Buffer.concat([new Uint8Array(isTyped ? [transaction.type] : []), encodeRlp(members)])
}

describe('decodeTransaction', () => {
  it('round-trips every type', () => {
    fc.assert(
      fc.property(fields, (transaction) => {
        const raw = encodeTransaction(transaction)
        const { hash: _, raw: decodedRaw, ...decoded } = decodeTransaction(raw)
        expect(decoded).toEqual(transaction)
        expect(decodedRaw).toBe(raw)
      }),
      { numRuns: propertyRuns(500) },
    )
  })

  it('throws only its documented error on any bytes, and accepts one encoding only', () => {
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .tuple(fc.constantFrom(1, 2, 3, 4, 0x7e), fc.uint8Array({ maxLength: 200 }))
        .map(([type, rest]) => Uint8Array.of(type, ...rest)),
      fc.tuple(fields, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([transaction, position, byte]) => {
        const raw = Uint8Array.from(encodeTransaction(transaction))
        raw[position % raw.length] = byte
        return raw
      }),
    )
    fc.assert(
      fc.property(anything, (raw) => {
        try {
          const transaction = decodeTransaction(raw)
          expect(encodeTransaction(transaction)).toEqual(raw)
          recoverTransaction(transaction)
        } catch (error) {
          if (!(error instanceof TransactionDecodeError)) throw error
        }
      }),
      { numRuns: propertyRuns(3_000) },
    )
  })

  it.each([
    ['nothing', '0x', 'EMPTY', 'empty transaction data'],
    ['a lone type', '0x02', 'TOO_SHORT', 'typed transaction too short'],
    ['an unknown type', '0x05c0', 'TYPE_NOT_SUPPORTED', 'transaction type not supported'],
    ['type 0 as an envelope', '0x00c0', 'TYPE_NOT_SUPPORTED', 'transaction type not supported'],
    ['a byte string', '0x81ff', 'INVALID_RLP', 'rlp: '],
    ['an empty list', '0xc0', 'INVALID_RLP', 'rlp: '],
    ['a typed transaction that is no list', '0x0280', 'INVALID_RLP', 'rlp: '],
    ['bytes behind the end', `${bytesToHex(example(2).raw)}00`, 'INVALID_RLP', 'rlp: '],
  ])('rejects %s', (_, raw, code, message) => {
    const error = failure(hexToBytes(raw))
    expect(error.code).toBe(code)
    expect(error.message).toContain(message)
  })

  const tooLong = new Uint8Array(9).fill(0xff)
  const leadingZero = new Uint8Array([0, 0xff])
  it.each([
    ['nonce above 64 bits', 2, 1, tooLong],
    ['nonce with a leading zero', 2, 1, leadingZero],
    ['zero as a byte', 2, 1, new Uint8Array(1)],
    ['gas above 64 bits', 2, 4, tooLong],
    ['value above 256 bits', 2, 6, new Uint8Array(33).fill(1)],
    ['fee above 256 bits', 2, 3, new Uint8Array(33).fill(1)],
    ['chain id above 64 bits', 2, 0, tooLong],
    ['recipient of 19 bytes', 2, 5, new Uint8Array(19)],
    ['data as a list', 2, 7, []],
    ['access list as bytes', 2, 8, new Uint8Array(0)],
    ['access list item of one member', 2, 8, [[new Uint8Array(20)]]],
    ['storage key of 31 bytes', 1, 7, [[new Uint8Array(20), [new Uint8Array(31)]]]],
    ['r with a leading zero', 2, 10, leadingZero],
    ['s above 256 bits', 2, 11, new Uint8Array(33).fill(1)],
    ['a blob transaction that creates', 3, 5, new Uint8Array(0)],
    ['a versioned hash of 31 bytes', 3, 10, [new Uint8Array(31)]],
    ['a set code transaction that creates', 4, 5, new Uint8Array(0)],
    ['an authorization of 5 members', 4, 9, [[[], [], [], [], []]]],
    ['a member too many', 2, 12, new Uint8Array(0)],
    ['a legacy transaction without signature, too long', 0, 9, new Uint8Array(0)],
  ] as const)('rejects %s', (_, type, index, value) => {
    expect(failure(withMember(example(type), index, value)).code).toBe('INVALID_RLP')
  })

  it.each([
    ['parity 2', 2, 9, 2],
    ['v 26', 0, 6, 26],
    ['v 34', 0, 6, 34],
  ] as const)('rejects %s', (_, type, index, value) => {
    const error = failure(withMember(example(type), index, Uint8Array.of(value)))
    expect(error.code).toBe('INVALID_SIGNATURE')
    expect(error.message).toBe('invalid sender: invalid transaction v, r, s values')
  })

  it('distinguishes legacy signatures with and without replay protection', () => {
    expect(decodeTransaction(withMember(example(0), 6, Uint8Array.of(28)))).toMatchObject({
      chainId: undefined,
      signature: { yParity: 1 },
    })
    expect(decodeTransaction(withMember(example(0), 6, Uint8Array.of(37)))).toMatchObject({
      chainId: 1n,
      signature: { yParity: 0 },
    })
  })

  it('agrees with another implementation on bytes and members', () => {
    for (const type of [0, 1, 2, 3, 4] as const) {
      const transaction = example(type)
      const raw = bytesToHex(transaction.raw)
      const parsed = parseTransaction(raw as Parameters<typeof parseTransaction>[0])
      expect(parsed).toMatchObject({ nonce: 1_000, gas: 50_000n, value: 2_000n, data: '0xabcd', chainId: 31_337 })
      const { r, s, yParity: parity } = transaction.signature
      const other: ViemSignature = { r: bigintToHash(r), s: bigintToHash(s), yParity: parity, v: BigInt(parity + 27) }
      expect(serializeTransaction(parsed as TransactionSerializable, other)).toBe(raw)
    }
  })
})

interface Deposits {
  rawTransactions: { raw: string; hash: string; fields: Record<string, unknown> }[]
  rpcTransactions: { raw: string; tx: Record<string, string> }[]
}

const DEPOSITS = 'op-stack/deposit-transactions.json'
describe.skipIf(!hasConformanceData(DEPOSITS, 'deposit transactions'))('deposits of real chains', () => {
  it('decode to their members and encode to their bytes', () => {
    const { rawTransactions, rpcTransactions } = conformanceJson(DEPOSITS) as Deposits
    expect(rawTransactions.length + rpcTransactions.length).toBeGreaterThan(2)
    for (const { raw, hash: expected, fields: members } of rawTransactions) {
      const transaction = decodeTransaction(hexToBytes(raw))
      if (transaction.type !== 0x7e) throw new Error('not a deposit')
      expect(transaction.hash).toBe(expected)
      expect(bytesToHex(encodeTransaction(transaction))).toBe(raw)
      expect(recoverTransaction(transaction)).toBe(transaction)
      expect({
        sourceHash: transaction.sourceHash,
        from: transaction.from,
        to: transaction.to,
        mint: `0x${transaction.mint.toString(16)}`,
        value: `0x${transaction.value.toString(16)}`,
        gas: `0x${transaction.gasLimit.toString(16)}`,
        isSystemTx: transaction.isSystemTransaction,
        input: bytesToHex(transaction.data),
      }).toEqual(members)
    }
    for (const { raw, tx } of rpcTransactions) {
      expect(decodeTransaction(hexToBytes(raw))).toMatchObject({
        hash: tx.hash,
        from: tx.from,
        sourceHash: tx.sourceHash,
      })
    }
  })
})

interface StateTest {
  transaction: { sender: string; authorizationList?: { signer?: string }[] }
  post: Record<string, { txbytes: string; expectException?: string }[]>
}

describe.skipIf(!hasConformanceData('state-tests', 'transactions of the state tests'))(
  'transactions of the state tests',
  () => {
    it('round-trip and recover their sender and authorities', () => {
      let transactions = 0
      let authorities = 0
      for (const [id, testCase] of conformanceCases('state-tests')) {
        const { transaction, post } = testCase as StateTest
        const { txbytes, expectException } = Object.values(post)[0]![0]!
        const raw = hexToBytes(txbytes)
        if (expectException) {
          try {
            recoverTransaction(decodeTransaction(raw))
          } catch (error) {
            expect(error, id).toBeInstanceOf(TransactionDecodeError)
          }
          continue
        }
        const decoded = recoverTransaction(decodeTransaction(raw))
        expect(bytesToHex(encodeTransaction(decoded)), id).toBe(txbytes)
        expect(decoded.from, id).toBe(transaction.sender)
        transactions++
        if (decoded.type !== 4) continue
        for (const [index, entry] of decoded.authorizationList.entries()) {
          const signer = transaction.authorizationList?.[index]?.signer
          const authority = recoverAuthority(entry)
          if (!signer || authority === undefined) continue
          expect(authority, id).toBe(signer)
          authorities++
        }
      }
      expect(transactions).toBeGreaterThan(5_000)
      expect(authorities).toBeGreaterThan(100)
    })
  },
)

it('derives a transaction with its own bytes and hash', () => {
  const first = example(2)
  const second = createTransaction({ ...first, nonce: 7n })
  expect(decodeTransaction(second.raw)).toEqual(second)
  expect(second.hash).not.toBe(first.hash)
})
