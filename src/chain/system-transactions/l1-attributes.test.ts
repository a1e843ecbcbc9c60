import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conformanceJson, hasConformanceData } from '../../../test/support/conformance-data.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { decodeTransaction } from '../transaction/transaction-codec.ts'
import {
  decodeL1Attributes,
  encodeL1Attributes,
  type L1Attributes,
  type L1AttributesLayout,
  l1AttributesLayout,
  l1AttributesTransaction,
} from './l1-attributes.ts'

const VECTORS = 'op-stack/execution/l1-fee-vectors.json'
const LAYOUTS: readonly L1AttributesLayout[] = ['ecotone', 'isthmus', 'jovian']

interface Vector {
  readonly fork: L1AttributesLayout
  readonly calldata: string
  readonly [member: string]: string
}

const hasVectors = hasConformanceData(VECTORS, 'vectors of L1 attributes')
const vectors = hasVectors ? (conformanceJson(VECTORS) as { l1Attributes: readonly Vector[] }).l1Attributes : []

const attributesArbitrary: fc.Arbitrary<L1Attributes> = fc.record({
  number: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  timestamp: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  hash: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(bigintToHash),
  sequenceNumber: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  baseFee: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  blobBaseFee: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  batcherHash: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(bigintToHash),
  baseFeeScalar: fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }),
  blobBaseFeeScalar: fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }),
  operatorFeeScalar: fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }),
  operatorFeeConstant: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  daFootprintGasScalar: fc.bigInt({ min: 0n, max: 2n ** 16n - 1n }),
})

describe('L1 attributes', () => {
  it.skipIf(!hasVectors).each(vectors)('of the $fork vector are read and written', (vector) => {
    const decoded = decodeL1Attributes(hexToBytes(vector.calldata))!
    expect(decoded.layout).toBe(vector.fork)
    const { attributes } = decoded
    expect(attributes).toMatchObject({
      hash: vector.hash,
      batcherHash: vector.batcherHash,
      number: BigInt(vector.number!),
      timestamp: BigInt(vector.timestamp!),
      sequenceNumber: BigInt(vector.sequenceNumber!),
      baseFee: BigInt(vector.l1BaseFee!),
      blobBaseFee: BigInt(vector.l1BlobBaseFee!),
      baseFeeScalar: BigInt(vector.baseFeeScalar!),
      blobBaseFeeScalar: BigInt(vector.blobBaseFeeScalar!),
      operatorFeeScalar: BigInt(vector.operatorFeeScalar ?? 0),
      operatorFeeConstant: BigInt(vector.operatorFeeConstant ?? 0),
    })
    expect(bytesToHex(encodeL1Attributes(attributes, vector.fork))).toBe(vector.calldata)
  })

  it('survive a round trip in every layout', () => {
    fc.assert(
      fc.property(attributesArbitrary, fc.constantFrom(...LAYOUTS), (attributes, layout) => {
        const data = encodeL1Attributes(attributes, layout)
        const decoded = decodeL1Attributes(data)!
        expect(decoded.layout).toBe(layout)
        expect(encodeL1Attributes(decoded.attributes, layout)).toEqual(data)
        if (layout === 'jovian') expect(decoded.attributes).toEqual(attributes)
      }),
    )
  })

  it('are those of no other function, and of no other length', () => {
    const data = encodeL1Attributes(fc.sample(attributesArbitrary, 1)[0]!, 'jovian')
    expect(decodeL1Attributes(data.subarray(0, 177))).toBeUndefined()
    expect(decodeL1Attributes(Uint8Array.from([...data, 0]))).toBeUndefined()
    expect(decodeL1Attributes(Uint8Array.of(1, 2, 3))).toBeUndefined()
  })

  it('keep their layout until the next upgrade that changes it', () => {
    const upgrades = ['regolith', 'ecotone', 'holocene', 'isthmus', 'jovian', 'denim'] as const
    expect(upgrades.map(l1AttributesLayout)).toEqual([undefined, 'ecotone', 'ecotone', 'isthmus', 'jovian', 'jovian'])
  })

  it('come in a deposit of the depositor that decodes to itself', () => {
    const transaction = l1AttributesTransaction(fc.sample(attributesArbitrary, 1)[0]!, 'jovian')
    expect(decodeTransaction(transaction.raw)).toEqual(transaction)
    expect(transaction).toMatchObject({ gasLimit: 1_000_000n, mint: 0n, value: 0n, isSystemTransaction: false })
  })
})
