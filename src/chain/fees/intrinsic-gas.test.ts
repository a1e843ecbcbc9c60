import { describe, expect, it } from 'vitest'
import { toAddress } from '../../primitives/hex.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { floorDataGas, gasCharges, initcodeGas, intrinsicGas } from './intrinsic-gas.ts'

const TO = toAddress('0x70997970c51812dc3a010c7d01b50e0d17dc79c8')
const DATA = Uint8Array.of(0, 0, 0, 1, 2)
const EMPTY = new Uint8Array(0)
const AUTHORIZATION = { chainId: 1n, address: TO, nonce: 0n, yParity: 0, r: 1n, s: 1n }

describe('intrinsicGas', () => {
  it.each([
    ['a transfer', { to: TO, data: EMPTY }, 'prague', 21_000n],
    ['data before Istanbul', { to: TO, data: DATA }, 'petersburg', 21_000n + 12n + 2n * 68n],
    ['data', { to: TO, data: DATA }, 'istanbul', 21_000n + 12n + 32n],
    ['a creation on Frontier', { to: null, data: EMPTY }, 'frontier', 21_000n],
    ['a creation', { to: null, data: EMPTY }, 'homestead', 53_000n],
    ['33 bytes of initcode before Shanghai', { to: null, data: new Uint8Array(33) }, 'paris', 53_000n + 132n],
    ['33 bytes of initcode', { to: null, data: new Uint8Array(33) }, 'shanghai', 53_000n + 132n + 4n],
    [
      'an access list',
      { to: TO, data: EMPTY, accessList: [{ address: TO, storageKeys: [bigintToHash(1n), bigintToHash(2n)] }] },
      'berlin',
      21_000n + 2_400n + 3_800n,
    ],
    [
      'two authorizations',
      { to: TO, data: EMPTY, authorizationList: [AUTHORIZATION, AUTHORIZATION] },
      'prague',
      71_000n,
    ],
  ] as const)('of %s', (_, message, fork, expected) => {
    expect(intrinsicGas(message, fork)).toBe(expected)
  })
})

it('floorDataGas charges 10 per zero byte and 40 per other byte (EIP-7623)', () => {
  expect(floorDataGas(EMPTY)).toBe(21_000n)
  expect(floorDataGas(DATA)).toBe(21_000n + 30n + 80n)
})

it.each([
  ['cancun', 0n],
  ['prague', 21_000n + 30n + 80n],
] as const)('gasCharges of %s are the intrinsic gas and the calldata floor', (fork, floor) => {
  const intrinsic = intrinsicGas({ to: TO, data: DATA }, fork)
  expect(gasCharges({ to: TO, data: DATA }, fork)).toEqual({ intrinsic, floor })
})

it('initcodeGas counts started words (EIP-3860)', () => {
  expect([0, 1, 32, 33].map(initcodeGas)).toEqual([0, 2, 2, 4])
})
