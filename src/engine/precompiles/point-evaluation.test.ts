import { bls12_381 } from '@noble/curves/bls12-381.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../primitives/hex.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import { pointEvaluation } from './point-evaluation.ts'

const INFINITY = Uint8Array.from({ length: 48 }, (_, index) => (index === 0 ? 0xc0 : 0))
const GENERATOR = bls12_381.G1.Point.BASE.toBytes()

function input(z: bigint, y: bigint, commitment: Uint8Array, proof: Uint8Array): Uint8Array {
  const hash = sha256(commitment)
  hash[0] = 1
  return Uint8Array.from([...hash, ...bigintToWord(z), ...bigintToWord(y), ...commitment, ...proof])
}

describe('pointEvaluation', () => {
  it('accepts a constant polynomial, whose proof is the point at infinity', () => {
    const fifth = bls12_381.G1.Point.BASE.multiply(5n).toBytes()
    for (const holds of [input(7n, 0n, INFINITY, INFINITY), input(7n, 5n, fifth, INFINITY)]) {
      expect(bytesToHex(pointEvaluation(holds)!)).toBe(
        '0x000000000000000000000000000000000000000000000000000000000000100073eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001',
      )
    }
  })

  it.each([
    ['another value', input(7n, 1n, INFINITY, INFINITY)],
    ['a wrong proof', input(7n, 0n, INFINITY, GENERATOR)],
    ['z above the modulus', input(bls12_381.fields.Fr.ORDER, 0n, INFINITY, INFINITY)],
    ['y above the modulus', input(0n, bls12_381.fields.Fr.ORDER, INFINITY, INFINITY)],
    ['a commitment that is no point', input(0n, 0n, new Uint8Array(48).fill(0x81), INFINITY)],
    ['another versioned hash', input(7n, 0n, INFINITY, INFINITY).fill(2, 0, 1)],
    ['a byte too few', input(7n, 0n, INFINITY, INFINITY).subarray(1)],
  ])('rejects %s', (_, wrong) => {
    expect(pointEvaluation(wrong)).toBeUndefined()
  })
})
