import { bls12_381 } from '@noble/curves/bls12-381.js'
import { describe, expect, test } from 'vitest'
import { constantSidecar } from '../../../test/support/blob-transactions.ts'
import { conformanceBytes, hasConformanceData } from '../../../test/support/conformance-data.ts'
import { CELLS_PER_BLOB, decodeSentTransaction } from '../../chain/transaction/blob-sidecar.ts'
import type { BlobSidecar } from '../../chain/transaction/transaction.ts'
import { type Bytes, hexToBytes } from '../../primitives/hex.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import { BLS12_ORDER } from '../precompiles/bls12-381/bls12-compressed.ts'
import { evaluate, FIELD_ELEMENTS_PER_BLOB, reverseBits, rootOfUnity } from './blob-polynomial.ts'
import { G1_MONOMIAL, G2_MONOMIAL_64 } from './trusted-setup.ts'
import { sidecarProofFaults } from './verify-sidecar.ts'

const { G1, G2 } = bls12_381
const point = (hex: string) => G1.Point.fromHex(hex.slice(2))
/** `g1_monomial[64]` of the trusted setup. */
const NEXT_POINT = '0xa9ef67304dc297ab5af778cf8afa849eeac27db4b6978963e97b95ef7a8d3264d0d07775f728c298a2b6daed2ecf5053'
/** `g2_monomial[1]`: the secret times the generator. */
const SECRET_G2 =
  '0xb5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2'

function faultsOf(sidecar: BlobSidecar): readonly (string | undefined)[] {
  return [...sidecarProofFaults(sidecar)]
}

/** The sidecar of 3 + 5X + 7X^63 + 11X^64: the quotient by X^64 - a is 11, so that is the proof of every cell. */
function quadraticSidecar(): BlobSidecar {
  const coefficients = new Array<bigint>(65).fill(0n)
  for (const [power, value] of [
    [0, 3n],
    [1, 5n],
    [63, 7n],
    [64, 11n],
  ] as const) {
    coefficients[power] = value
  }
  const root = rootOfUnity(FIELD_ELEMENTS_PER_BLOB)
  const roots = [1n]
  while (roots.length < FIELD_ELEMENTS_PER_BLOB) roots.push((roots.at(-1)! * root) % BLS12_ORDER)
  const values = roots.map((_, index) => evaluate(coefficients, roots[reverseBits(index, 12)]!))
  const setup = [...G1_MONOMIAL, NEXT_POINT].map(point)
  const commitment = coefficients
    .map((value, index) => (value === 0n ? G1.Point.ZERO : setup[index]!.multiply(value)))
    .reduce((sum, term) => sum.add(term))
  const proof = G1.Point.BASE.multiply(11n).toBytes(true)
  return {
    version: 1,
    blobs: [Buffer.concat(values.map(bigintToWord))],
    commitments: [commitment.toBytes(true)],
    proofs: new Array<Bytes>(CELLS_PER_BLOB).fill(proof),
  }
}

test('each point of the trusted setup is its predecessor times the secret', () => {
  const points = G1_MONOMIAL.map(point)
  expect(points[0]!.equals(G1.Point.BASE)).toBe(true)
  // All 63 steps at once, weighted by powers of a number.
  const weights = points.slice(1).map((_, index) => 1_000_003n ** BigInt(index + 1) % BLS12_ORDER)
  const weighed = (from: number) =>
    weights.map((weight, index) => points[index + from]!.multiply(weight)).reduce((sum, term) => sum.add(term))
  const secret = G2.Point.fromHex(SECRET_G2.slice(2))
  const pair = bls12_381.pairing
  expect(pair(weighed(1), G2.Point.BASE)).toEqual(pair(weighed(0), secret))
  const power64 = G2.Point.fromHex(G2_MONOMIAL_64.slice(2))
  expect(pair(G1.Point.BASE, power64)).toEqual(pair(points[63]!, secret))
})

describe('a proof per cell (EIP-7594)', () => {
  const sidecar = quadraticSidecar()

  test('is accepted', () => {
    expect(faultsOf(sidecar)).toEqual([undefined])
    expect(faultsOf(constantSidecar([5n, 0x1234n]))).toEqual([undefined, undefined])
  })

  test.each<[string, Partial<BlobSidecar>]>([
    ['one value of the blob is another', { blobs: [changed(sidecar.blobs[0]!, 4095 * 32 + 31)] }],
    ['the commitment is to something else', { commitments: [G1.Point.BASE.toBytes(true)] }],
    ['one of the proofs is another point', { proofs: sidecar.proofs.with(77, G1.Point.BASE.toBytes(true)) }],
    ['one of the proofs is no point', { proofs: sidecar.proofs.with(77, new Uint8Array(48).fill(0x99)) }],
    [
      'two proofs are wrong in opposite ways',
      {
        proofs: sidecar.proofs
          .with(3, G1.Point.BASE.multiply(12n).toBytes(true))
          .with(4, G1.Point.BASE.multiply(10n).toBytes(true)),
      },
    ],
  ])('is rejected when %s', (_, change) => {
    expect(faultsOf({ ...sidecar, ...change })).toEqual(['the KZG proof of blob 0 does not hold'])
  })

  test('rejects a blob with a value above the modulus', () => {
    const blob = Uint8Array.from(sidecar.blobs[0]!)
    blob.fill(0xff, 0, 32)
    expect(faultsOf({ ...sidecar, blobs: [blob] })).toEqual([expect.stringContaining('not below the modulus')])
  })
})

test('accepts a proof per blob (EIP-4844), and rejects it for another blob', () => {
  const sidecar = constantSidecar([5n], 0)
  expect(faultsOf(sidecar)).toEqual([undefined])
  const blobs = [changed(sidecar.blobs[0]!, 31)]
  expect(faultsOf({ ...sidecar, blobs })).toEqual(['the KZG proof of blob 0 does not hold'])
})

const RECORDED = 'execution-apis/eth_sendRawTransaction/send-blob-tx.io'

test.skipIf(!hasConformanceData(RECORDED, 'a recorded blob transaction'))('accepts the recorded one', () => {
  const lines = conformanceBytes(RECORDED).toString().split('\n')
  const request = JSON.parse(lines.find((line) => line.startsWith('>> '))!.slice(3)) as { params: [string] }
  const transaction = decodeSentTransaction(hexToBytes(request.params[0]))
  expect(transaction).toMatchObject({ type: 3, sidecar: { version: 1 } })
  expect(transaction.type === 3 && transaction.sidecar && faultsOf(transaction.sidecar)).toEqual([undefined])
})

function changed(bytes: Bytes, at: number): Bytes {
  const copy = Uint8Array.from(bytes)
  copy[at]! ^= 1
  return copy
}
