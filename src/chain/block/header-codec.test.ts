import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conformanceJson, hasConformanceData } from '../../../test/support/conformance-data.ts'
import { bytesToAddress, bytesToHash, hexToBytes, toAddress, toHash, ZERO_HASH } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { bigintToBytes } from '../../primitives/quantity.ts'
import { encodeRlp, RlpError, type RlpSource } from '../../primitives/rlp.ts'
import { EMPTY_REQUESTS_HASH, EMPTY_TRIE_ROOT, EMPTY_UNCLES_HASH } from '../constants.ts'
import type { Header } from './header.ts'
import { decodeHeader, encodeHeader, hashHeader, headerItem } from './header-codec.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const hash = bytes(32).map(bytesToHash)
const u64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
const height = fc.maxSafeNat()

const LATER = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
]

const complete: fc.Arbitrary<Required<Omit<Header, 'foreign'>>> = fc.record({
  parentHash: hash,
  sha3Uncles: hash,
  miner: bytes(20).map(bytesToAddress),
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  logsBloom: bytes(256),
  difficulty: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
  number: height,
  gasLimit: u64,
  gasUsed: height,
  timestamp: u64,
  extraData: fc.uint8Array({ maxLength: 40 }),
  mixHash: hash,
  nonce: bytes(8),
  baseFeePerGas: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
  withdrawalsRoot: hash,
  blobGasUsed: height,
  excessBlobGas: u64,
  parentBeaconBlockRoot: hash,
  requestsHash: hash,
})

function without(header: Header, names: readonly string[]): Header {
  return Object.fromEntries(Object.entries(header).filter(([name]) => !names.includes(name))) as unknown as Header
}

/** Plausible members, and any mixture with arbitrary ones. */
const typicalMembers: fc.Arbitrary<Partial<Header>> = fc.record(
  {
    parentHash: fc.constant(ZERO_HASH),
    sha3Uncles: fc.constant(EMPTY_UNCLES_HASH),
    stateRoot: fc.constant(ZERO_HASH),
    transactionsRoot: fc.constant(EMPTY_TRIE_ROOT),
    receiptsRoot: fc.constant(EMPTY_TRIE_ROOT),
    mixHash: fc.constant(ZERO_HASH),
    withdrawalsRoot: fc.constant(EMPTY_TRIE_ROOT),
    parentBeaconBlockRoot: fc.constant(ZERO_HASH),
    requestsHash: fc.constant(EMPTY_REQUESTS_HASH),
  },
  { requiredKeys: [] },
)

describe('headers', () => {
  it('encode as the list of their members', () => {
    fc.assert(
      fc.property(complete, typicalMembers, fc.constantFrom(0, 1, 2, 5, 6), (header, members, later) => {
        const ofFork = without({ ...header, ...members }, LATER.slice(later))
        // `complete` has the members in the order of the encoding.
        const raw = encodeRlp(Object.values(ofFork) as RlpSource[])
        expect(encodeHeader(ofFork)).toEqual(raw)
        expect(encodeRlp([headerItem(ofFork), 1])).toEqual(encodeRlp([Object.values(ofFork) as RlpSource[], 1]))
        expect(hashHeader(ofFork)).toBe(keccakHash(raw))
      }),
    )
  })

  it('of every fork round-trip', () => {
    fc.assert(
      fc.property(complete, fc.constantFrom(0, 1, 2, 5, 6), (header, later) => {
        const ofFork = without(header, LATER.slice(later))
        const raw = encodeHeader(ofFork)
        expect(decodeHeader(raw)).toEqual(ofFork)
        expect(hashHeader(ofFork)).toBe(keccakHash(raw))
      }),
    )
  })

  it('lacking a member before a present one are rejected', () => {
    const [header] = fc.sample(complete, 1)
    expect(() => encodeHeader(without(header!, ['withdrawalsRoot']))).toThrow(RlpError)
    expect(() => decodeHeader(encodeHeader(without(header!, LATER.slice(3))))).toThrow(RlpError)
  })

  it('that are malformed throw the documented error only', () => {
    const changed = fc.tuple(complete, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([header, position, byte]) => {
      const raw = encodeHeader(header)
      raw[position % raw.length] = byte
      return raw
    })
    fc.assert(
      fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 700 })), (raw) => {
        try {
          expect(encodeHeader(decodeHeader(raw))).toEqual(raw)
        } catch (error) {
          if (!(error instanceof RlpError)) throw error
        }
      }),
      { numRuns: 500 },
    )
  })
})

interface Flashblock {
  base?: Record<string, string>
  diff: Record<string, string> & { transactions: string[] }
}

const SEQUENCE = 'op-stack/flashblocks/unichain-sepolia-35535698.json'
describe.skipIf(!hasConformanceData(SEQUENCE, 'headers of a real layer-2 block'))('a real layer-2 block', () => {
  it('has the announced hash after every flashblock', async () => {
    const sequence = conformanceJson(SEQUENCE) as Flashblock[]
    expect(sequence).toHaveLength(5)
    const base = sequence[0]!.base!
    const transactions = new MerklePatriciaTrie()
    let count = 0
    for (const { diff } of sequence) {
      for (const raw of diff.transactions) {
        await transactions.put(encodeRlp(bigintToBytes(BigInt(count++))), hexToBytes(raw))
      }
      const header: Header = {
        parentHash: toHash(base.parent_hash!),
        sha3Uncles: EMPTY_UNCLES_HASH,
        miner: toAddress(base.fee_recipient!),
        stateRoot: toHash(diff.state_root!),
        transactionsRoot: bytesToHash(transactions.root()),
        receiptsRoot: toHash(diff.receipts_root!),
        logsBloom: hexToBytes(diff.logs_bloom!),
        difficulty: 0n,
        number: Number(base.block_number),
        gasLimit: BigInt(base.gas_limit!),
        gasUsed: Number(diff.gas_used),
        timestamp: BigInt(base.timestamp!),
        extraData: hexToBytes(base.extra_data!),
        mixHash: toHash(base.prev_randao!),
        nonce: new Uint8Array(8),
        baseFeePerGas: BigInt(base.base_fee_per_gas!),
        withdrawalsRoot: toHash(diff.withdrawals_root!),
        blobGasUsed: 0,
        excessBlobGas: 0n,
        parentBeaconBlockRoot: toHash(base.parent_beacon_block_root!),
        requestsHash: EMPTY_REQUESTS_HASH,
      }
      expect(header.parentHash).not.toBe(ZERO_HASH)
      expect(hashHeader(header)).toBe(diff.block_hash)
    }
  })
})
