import { describe, expect, it } from 'vitest'
import { conformanceJson, hasConformanceData } from '../../../test/support/conformance-data.ts'
import { hexToBytes, isHexBytes } from '../../primitives/hex.ts'
import { layer2RulesOf } from '../forks/layer2-rules.ts'
import type { Upgrade } from '../forks/upgrades.ts'
import { estimatedSizeScaled, fastLzLength, scaledSizeOf } from './data-footprint.ts'
import { compressedL1Fee, type L1FeeParameters, l1DataGas, l1Fee } from './l1-fee.ts'
import { operatorFee } from './operator-fee.ts'

const VECTORS = 'op-stack/execution/l1-fee-vectors.json'

interface FeeVector {
  readonly name?: string
  readonly fork: Upgrade
  readonly tx?: string
  readonly fastLzSize?: number
  readonly l1BaseFee?: string
  readonly l1BlobBaseFee?: string
  readonly baseFeeScalar?: string
  readonly blobBaseFeeScalar?: string
  readonly overhead?: string
  readonly scalar?: string
  readonly l1Fee?: string
  readonly l1GasUsed?: string
  readonly gas?: number
}

interface Vectors {
  readonly fastlz: readonly { name: string; input?: string; repeat?: readonly [string, number]; length: number }[]
  readonly dataGas: readonly FeeVector[]
  readonly l1Fee: readonly FeeVector[]
  readonly operatorFee: readonly {
    readonly fork: Upgrade
    readonly gas?: string
    readonly operatorFeeScalar: string
    readonly operatorFeeConstant: string
    readonly fee?: string
  }[]
  readonly recordedBlocks: readonly (FeeVector & {
    readonly block: number
    readonly transactions: readonly { fastLzSize: number; l1GasUsed: number; l1Fee: string }[]
  })[]
}

const hasVectors = hasConformanceData(VECTORS, 'vectors of the L1 fee')
const vectors = hasVectors ? (conformanceJson(VECTORS) as Vectors) : undefined

function parametersOf(vector: FeeVector): L1FeeParameters {
  const { l1BaseFee, l1BlobBaseFee, baseFeeScalar, blobBaseFeeScalar, overhead, scalar } = vector
  return {
    l1BaseFee: BigInt(l1BaseFee ?? 0),
    l1BlobBaseFee: BigInt(l1BlobBaseFee ?? 0),
    baseFeeScalar: BigInt(baseFeeScalar ?? 0),
    blobBaseFeeScalar: BigInt(blobBaseFeeScalar ?? 0),
    overhead: BigInt(overhead ?? 0),
    scalar: BigInt(scalar ?? 0),
  }
}

function bytesOf(text: string) {
  if (!isHexBytes(text)) throw new Error(`${text} is not hex`)
  return hexToBytes(text)
}

describe.skipIf(!hasVectors)('the vectors of the L1 fee', () => {
  it.each(vectors?.fastlz ?? [])('FastLZ: $name', ({ input, repeat, length }) => {
    const data = repeat ? new Uint8Array(repeat[1]).fill(bytesOf(repeat[0])[0]!) : bytesOf(input!)
    expect(fastLzLength(data)).toBe(length)
  })

  it.each(vectors?.dataGas ?? [])('gas of data in $fork: $gas', ({ fork, tx, fastLzSize, gas }) => {
    const got =
      tx === undefined
        ? compressedL1Fee(scaledSizeOf(fastLzSize!), parametersOf({ fork })).gasUsed
        : l1DataGas(bytesOf(tx), layer2RulesOf(fork))
    expect(got).toBe(BigInt(gas!))
  })

  it.each(vectors?.l1Fee ?? [])('fee: $name', (vector) => {
    const { fork, tx, fastLzSize } = vector
    const parameters = parametersOf(vector)
    const got =
      tx === undefined
        ? compressedL1Fee(scaledSizeOf(fastLzSize!), parameters)
        : l1Fee(bytesOf(tx), parameters, layer2RulesOf(fork))
    expect(got.fee).toBe(BigInt(vector.l1Fee!))
    if (vector.l1GasUsed !== undefined) expect(got.gasUsed).toBe(BigInt(vector.l1GasUsed))
  })

  it.each(vectors?.operatorFee ?? [])('operator fee of $gas gas in $fork', (vector) => {
    const parameters = {
      operatorFeeScalar: BigInt(vector.operatorFeeScalar),
      operatorFeeConstant: BigInt(vector.operatorFeeConstant),
    }
    expect(operatorFee(BigInt(vector.gas!), parameters, layer2RulesOf(vector.fork))).toBe(BigInt(vector.fee!))
  })

  it.each(vectors?.recordedBlocks ?? [])('fees of the transactions in block $block', (block) => {
    const got = block.transactions.map(({ fastLzSize }) =>
      compressedL1Fee(scaledSizeOf(fastLzSize), parametersOf(block)),
    )
    expect(got).toEqual(
      block.transactions.map(({ l1Fee: fee, l1GasUsed }) => ({ fee: BigInt(fee), gasUsed: BigInt(l1GasUsed) })),
    )
  })
})

describe('the L1 fee', () => {
  const PARAMETERS = parametersOf({
    fork: 'fjord',
    l1BaseFee: '1055991687',
    l1BlobBaseFee: '1',
    baseFeeScalar: '5227',
    blobBaseFeeScalar: '1014213',
  })

  it('equals that of OP Mainnet block 124665056 for a transaction that FastLZ compresses to 385 bytes', () => {
    expect(compressedL1Fee(scaledSizeOf(385), PARAMETERS)).toEqual({ fee: 24_681_034_813n, gasUsed: 4_471n })
  })

  it('equals that of Base block 21713817 for a transaction below the minimum size', () => {
    const prices = parametersOf({
      fork: 'fjord',
      l1BaseFee: '14121491676',
      l1BlobBaseFee: '1324954204',
      baseFeeScalar: '2269',
      blobBaseFeeScalar: '1055762',
    })
    for (const length of [0, 100, 170]) {
      expect(compressedL1Fee(scaledSizeOf(length), prices)).toEqual({ fee: 191_150_293_412n, gasUsed: 1_600n })
    }
    expect(compressedL1Fee(scaledSizeOf(171), prices).fee).toBeGreaterThan(191_150_293_412n)
  })

  it('is zero for a deposit, and without prices', () => {
    const transaction = Uint8Array.of(2, 1, 2, 3)
    expect(l1Fee(Uint8Array.of(0x7e, 1, 2, 3), PARAMETERS, layer2RulesOf('jovian'))).toEqual({ fee: 0n, gasUsed: 0n })
    expect(l1Fee(transaction, parametersOf({ fork: 'jovian' }), layer2RulesOf('jovian')).fee).toBe(0n)
  })

  it.each([['l1BlobBaseFee'], ['baseFeeScalar'], ['blobBaseFeeScalar']])(
    'is that of Ecotone as soon as L1Block has a %s',
    (member) => {
      const parameters = { ...parametersOf({ fork: 'ecotone', overhead: '188', scalar: '684000' }), [member]: 1n }
      expect(l1Fee(Uint8Array.of(2, 0, 1), parameters, layer2RulesOf('ecotone')).gasUsed).toBe(36n)
    },
  )

  it('charges calldata gas and overhead in the first block of Ecotone, also when Fjord activates with it', () => {
    const parameters = parametersOf({ fork: 'fjord', l1BaseFee: '1000', overhead: '188', scalar: '684000' })
    const expected = { fee: ((36n + 188n) * 1000n * 684n) / 1000n, gasUsed: 36n + 188n }
    for (const upgrade of ['ecotone', 'fjord'] as const) {
      expect(l1Fee(Uint8Array.of(2, 0, 1), parameters, layer2RulesOf(upgrade))).toEqual(expected)
    }
  })

  it('counts at least 100 bytes', () => {
    expect(estimatedSizeScaled(Uint8Array.of(1))).toBe(100_000_000)
    expect(compressedL1Fee(scaledSizeOf(0), PARAMETERS).gasUsed).toBe(1_600n)
  })
})
