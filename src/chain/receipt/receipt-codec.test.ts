import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conformanceJson, hasConformanceData } from '../../../test/support/conformance-data.ts'
import { decodeReceipt } from '../../../test/support/receipt-decoding.ts'
import { bytesToAddress, bytesToHash, bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { decodeRlp, encodeRlp, encodeTypedRlp, RlpError } from '../../primitives/rlp.ts'
import { encoded, startTransient } from '../../primitives/rlp-parts.ts'
import { bloomOf, bloomUnion } from './bloom.ts'
import { type ConsensusReceipt, encodeReceipt, logItem, outcomeItem, pushReceiptAndBloom } from './receipt-codec.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const u64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
const hash = bytes(32).map(bytesToHash)
const common = {
  outcome: fc.oneof(fc.record({ status: fc.constantFrom(0 as const, 1 as const) }), fc.record({ stateRoot: hash })),
  cumulativeGasUsed: fc.maxSafeNat(),
  logsBloom: bytes(256),
  logs: fc.array(
    fc.record({
      address: bytes(20).map(bytesToAddress),
      topics: fc.array(hash, { maxLength: 4 }),
      data: fc.uint8Array(),
    }),
    { maxLength: 3 },
  ),
}
const receipt: fc.Arbitrary<ConsensusReceipt> = fc.oneof(
  fc.record({ type: fc.constantFrom(0, 1, 2, 3, 4, 0x7e), ...common }),
  fc.record({ type: fc.constant(0x7e), deposit: fc.record({ nonce: u64, version: fc.constant(1n) }), ...common }),
)

/** A different value for each number. */
function word(index: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  new DataView(bytes.buffer).setUint32(length - 4, index)
  return bytes
}

describe('receipts', () => {
  it('of every type round-trip', () => {
    fc.assert(
      fc.property(receipt, (value) => {
        expect(decodeReceipt(encodeReceipt(value))).toEqual(value)
      }),
    )
  })

  it('encode as the list of their members', () => {
    fc.assert(
      fc.property(receipt, (value) => {
        const { outcome, cumulativeGasUsed, logsBloom, logs, deposit } = value
        const members = [outcomeItem(outcome), cumulativeGasUsed, logsBloom, logs.map(logItem)]
        if (deposit) members.push(deposit.nonce, deposit.version)
        const raw = value.type === 0 ? encodeRlp(members) : encodeTypedRlp(value.type, members)
        expect(bytesToHex(encodeReceipt(value))).toBe(bytesToHex(raw))
      }),
    )
  })

  it("encode with the bloom of their logs, which is added to the block's", () => {
    fc.assert(
      fc.property(receipt, bytes(256), ({ type, outcome, cumulativeGasUsed, logs }, before) => {
        const blockBloom = before.slice()
        startTransient()
        pushReceiptAndBloom({ type, outcome, cumulativeGasUsed, logs }, blockBloom)
        const raw = bytesToHex(encoded())
        const logsBloom = bloomOf(logs)
        expect(raw).toBe(bytesToHex(encodeReceipt({ type, outcome, cumulativeGasUsed, logsBloom, logs })))
        expect(bytesToHex(blockBloom)).toBe(bytesToHex(bloomUnion([before, logsBloom])))
      }),
    )
  })

  it('encode more addresses and topics than the cache holds', () => {
    const log = (index: number) => ({
      address: bytesToAddress(word(index, 20)),
      topics: [bytesToHash(word(index, 32))],
      data: new Uint8Array(0),
    })
    const receiptOf = (index: number): ConsensusReceipt => ({
      type: 2,
      outcome: { status: 1 },
      cumulativeGasUsed: 1,
      logsBloom: new Uint8Array(256),
      logs: [log(index)],
    })
    for (const index of [...Array(5_000).keys(), 0, 1, 4_095, 4_096, 4_999]) {
      expect(decodeReceipt(encodeReceipt(receiptOf(index))).logs).toEqual([log(index)])
    }
  })

  it.each([
    ['nothing', '0x'],
    ['type 5', '0x05c0'],
    ['type 0 as an envelope', '0x00c0'],
    ['an empty list', '0xc0'],
    ['a lone type', '0x02'],
  ])('reject %s', (_, raw) => {
    expect(() => decodeReceipt(hexToBytes(raw))).toThrow(RlpError)
  })
})

const DEPOSITS = 'op-stack/deposit-transactions.json'
describe.skipIf(!hasConformanceData(DEPOSITS, 'receipts of deposits'))('receipts of the OP stack', () => {
  it('round-trip', () => {
    const { rawReceipts } = conformanceJson(DEPOSITS) as { rawReceipts: { raw: string }[] }
    const types = rawReceipts.map(({ raw }) => {
      const item = decodeRlp(hexToBytes(raw))
      // In a list, a typed receipt is a byte string.
      const envelope = item instanceof Uint8Array ? item : hexToBytes(raw)
      const decoded = decodeReceipt(envelope)
      expect(bytesToHex(encodeReceipt(decoded))).toBe(bytesToHex(envelope))
      return decoded.type
    })
    expect(types).toContain(0x7e)
    expect(types).toContain(0)
  })

  it('of deposits have nonce and version', () => {
    const { rawReceipts } = conformanceJson(DEPOSITS) as { rawReceipts: { raw: string }[] }
    const raw = rawReceipts.map((entry) => decodeRlp(hexToBytes(entry.raw))).find((item) => item instanceof Uint8Array)
    expect(decodeReceipt(raw as Uint8Array)).toMatchObject({
      outcome: { status: 1 },
      cumulativeGasUsed: 46_913,
      deposit: { nonce: 4_012_991n, version: 1n },
    })
  })
})
