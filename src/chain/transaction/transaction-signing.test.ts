import { type Hex, recoverTransactionAddress, type TransactionSerializedLegacy } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes, toAddress } from '../../primitives/hex.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { SECP256K1_ORDER } from '../../primitives/secp256k1/secp256k1.ts'
import { signAuthorization } from './authorization.ts'
import { createTransaction, decodeTransaction, recoverTransaction, signTransaction } from './transaction-codec.ts'
import type { UnsignedTransaction } from './transaction-payload.ts'

const KEY = hexToBytes('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const ACCOUNT = privateKeyToAccount(bytesToHex(KEY))
const SENDER = toAddress(ACCOUNT.address)
const TO = toAddress('0x70997970c51812dc3a010c7d01b50e0d17dc79c8')

const CALL = { nonce: 7n, gasLimit: 60_000n, to: TO, value: 1n, data: Uint8Array.of(0xab, 0xcd, 0xef) }
const ACCESS_LIST = [{ address: TO, storageKeys: [bigintToHash(3n)] }]
const FEES = { chainId: 31_337n, maxFeePerGas: 9n, maxPriorityFeePerGas: 2n, accessList: ACCESS_LIST }

const UNSIGNED: UnsignedTransaction[] = [
  { type: 0, chainId: undefined, gasPrice: 9n, ...CALL },
  { type: 0, chainId: 31_337n, gasPrice: 9n, ...CALL },
  { type: 0, chainId: 31_337n, gasPrice: 9n, ...CALL, to: null },
  { type: 1, chainId: 31_337n, gasPrice: 9n, accessList: ACCESS_LIST, ...CALL },
  { type: 2, ...FEES, ...CALL },
  { type: 2, ...FEES, ...CALL, to: null },
  { type: 3, maxFeePerBlobGas: 5n, blobVersionedHashes: [bigintToHash(1n << 248n)], ...FEES, ...CALL },
  {
    type: 4,
    authorizationList: [signAuthorization({ chainId: 31_337n, address: TO, nonce: 8n }, KEY)],
    ...FEES,
    ...CALL,
  },
]

describe('signTransaction and recoverTransaction', () => {
  it.each(UNSIGNED)('agree with another implementation: type $type to $to, chain $chainId', async (unsigned) => {
    const signed = signTransaction(unsigned, KEY)
    expect(signed.from).toBe(SENDER)
    const decoded = recoverTransaction(decodeTransaction(signed.raw))
    expect(decoded).toEqual(signed)
    const serializedTransaction = bytesToHex(signed.raw) as TransactionSerializedLegacy
    expect((await recoverTransactionAddress({ serializedTransaction })).toLowerCase()).toBe(SENDER)
  })

  it('produce the bytes that another implementation signs', async () => {
    const request = { chainId: 31_337, nonce: 7, gas: 60_000n, to: TO, value: 1n, data: '0xabcdef' as Hex }
    const legacy = await ACCOUNT.signTransaction({ type: 'legacy', gasPrice: 9n, ...request })
    const dynamic = await ACCOUNT.signTransaction({
      type: 'eip1559',
      maxFeePerGas: 9n,
      maxPriorityFeePerGas: 2n,
      accessList: ACCESS_LIST,
      ...request,
    })
    expect(bytesToHex(signTransaction(UNSIGNED[1]!, KEY).raw)).toBe(legacy)
    expect(bytesToHex(signTransaction(UNSIGNED[4]!, KEY).raw)).toBe(dynamic)
  })

  it.each([
    ['a high s (EIP-2)', (s: bigint) => ({ s: SECP256K1_ORDER - s, yParity: 1 })],
    ['an s of 0', () => ({ s: 0n })],
    ['an r of 0', () => ({ r: 0n })],
    ['an r at the order', () => ({ r: SECP256K1_ORDER })],
  ])('reject %s', (_, change) => {
    const signed = signTransaction(UNSIGNED[4]!, KEY)
    const signature = { ...signed.signature, ...change(signed.signature.s) } as typeof signed.signature
    const { from: _from, hash: _hash, raw: _raw, ...fields } = signed
    const forged = decodeTransaction(createTransaction({ ...fields, signature }).raw)
    expect(() => recoverTransaction(forged)).toThrowError(
      expect.objectContaining({
        code: 'INVALID_SIGNATURE',
        message: 'invalid sender: invalid transaction v, r, s values',
      }),
    )
  })
})
