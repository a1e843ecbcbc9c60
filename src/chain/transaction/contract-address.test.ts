import fc from 'fast-check'
import { getContractAddress } from 'viem'
import { expect, it } from 'vitest'
import { bytesToAddress } from '../../primitives/hex.ts'
import { createAddress } from './contract-address.ts'

it('agrees with another implementation', () => {
  const sender = fc.uint8Array({ minLength: 20, maxLength: 20 })
  const nonces = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
  fc.assert(
    fc.property(sender, nonces, (bytes, nonce) => {
      const from = bytesToAddress(bytes)
      expect(createAddress(from, nonce)).toBe(getContractAddress({ from, nonce }).toLowerCase())
    }),
  )
})
