import fc from 'fast-check'
import { getContractAddress } from 'viem'
import { expect, it } from 'vitest'
import { bytesToAddress, bytesToHash, bytesToHex, toAddress, toHash } from '../../primitives/hex.ts'
import { create2Address, createAddress } from './contract-address.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

it('agrees with another implementation', () => {
  fc.assert(
    fc.property(
      bytes(20),
      fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
      bytes(32),
      bytes(32),
      (from, nonce, salt, hash) => {
        const address = bytesToAddress(from)
        expect(createAddress(address, nonce)).toBe(getContractAddress({ from: address, nonce }).toLowerCase())
        const expected = getContractAddress({
          opcode: 'CREATE2',
          from: address,
          salt: bytesToHex(salt),
          bytecodeHash: bytesToHex(hash),
        }).toLowerCase()
        expect(create2Address(address, salt, hash)).toBe(expected)
        expect(create2Address(address, bytesToHash(salt), bytesToHash(hash))).toBe(expected)
      },
    ),
  )
})

it('follows the first example of EIP-1014', () => {
  const hash = toHash('0xbc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a')
  expect(create2Address(toAddress(`0x${'00'.repeat(20)}`), new Uint8Array(32), hash)).toBe(
    '0x4d1a2e2bb4f88f0250f26ffff098b0b30b26bf38',
  )
})
