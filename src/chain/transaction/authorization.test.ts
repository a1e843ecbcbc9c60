import { type Hex, recoverAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hashAuthorization } from 'viem/utils'
import { expect, it } from 'vitest'
import { bytesToHex, hexToBytes, toAddress } from '../../primitives/hex.ts'
import { bigintToHash, MAX_UINT256 } from '../../primitives/quantity.ts'
import { SECP256K1_ORDER } from '../../primitives/secp256k1/secp256k1.ts'
import { recoverAuthority, signAuthorization } from './authorization.ts'

const KEY = hexToBytes('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const AUTHORITY = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const CODE = toAddress('0x70997970c51812dc3a010c7d01b50e0d17dc79c8')
const SIGNED = signAuthorization({ chainId: 31_337n, address: CODE, nonce: 5n }, KEY)

it('recovers the authority, as another implementation does', async () => {
  expect(recoverAuthority(SIGNED)).toBe(AUTHORITY)
  const other = await privateKeyToAccount(bytesToHex(KEY)).signAuthorization({
    address: CODE,
    chainId: 31_337,
    nonce: 5,
  })
  expect({ r: bigintToHash(SIGNED.r), s: bigintToHash(SIGNED.s), yParity: SIGNED.yParity }).toEqual({
    r: other.r,
    s: other.s,
    yParity: other.yParity,
  })
  const hash = hashAuthorization({ address: CODE, chainId: 31_337, nonce: 5 })
  const signature: { r: Hex; s: Hex; yParity: number } = { r: other.r, s: other.s, yParity: SIGNED.yParity }
  expect((await recoverAddress({ hash, signature })).toLowerCase()).toBe(AUTHORITY)
})

it.each([
  ['parity 2', { yParity: 2 }],
  ['the malleable twin', { s: SECP256K1_ORDER - SIGNED.s, yParity: 1 - SIGNED.yParity }],
  ['r of 0', { r: 0n }],
  ['s of 0', { s: 0n }],
  ['r beyond the order', { r: MAX_UINT256 }],
])('recovers nothing from %s', (_, change) => {
  expect(recoverAuthority({ ...SIGNED, ...change })).toBeUndefined()
})

it('recovers another authority for other content', () => {
  expect(recoverAuthority({ ...SIGNED, nonce: 6n })).not.toBe(AUTHORITY)
  expect(recoverAuthority({ ...SIGNED, chainId: 0n })).not.toBe(AUTHORITY)
})
