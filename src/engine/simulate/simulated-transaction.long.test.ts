import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AccessList } from '../../chain/transaction/transaction.ts'
import { createTransaction } from '../../chain/transaction/transaction-codec.ts'
import { flushHashes } from '../../primitives/batched-hashes.ts'
import { bytesToAddress, bytesToHash, bytesToHex, ZERO_HASH } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import type { CallRequest } from '../call/call-message.ts'
import type { Call } from '../types.ts'
import { queueTransactionHashes, simulatedTransaction } from './simulated-transaction.ts'

const NO_SIGNATURE = { r: 0n, s: 0n, yParity: 0 } as const

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const address = bytes(20).map(bytesToAddress)
const u64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
const wei = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n })
const accessList: fc.Arbitrary<AccessList> = fc.array(
  fc.record({ address, storageKeys: fc.array(bytes(32).map(bytesToHash), { maxLength: 2 }) }),
  { maxLength: 2 },
)
const call: fc.Arbitrary<Call> = fc.record({
  from: address,
  to: fc.option(address),
  gasLimit: u64,
  value: wei,
  // Some of it exceeds the scratch area.
  data: fc.oneof(
    { weight: 9, arbitrary: fc.uint8Array({ maxLength: 300 }) },
    fc.nat(70_000).map((size) => new Uint8Array(size)),
  ),
  maxFeePerGas: wei,
  maxPriorityFeePerGas: wei,
  accessList: fc.oneof(fc.constant([]), accessList),
})
/** Members that determine the type. */
const request: fc.Arbitrary<CallRequest> = fc.constantFrom({}, { gasPrice: 1n }, { gasPrice: 1n, accessList: [] })

test("a simulated transaction equals the codec's transaction of its call, with the hash of its bytes", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(call, request, u64), { maxLength: 8 }), u64, (calls, chainId) => {
      const transactions = calls.map(([one, requested, nonce]) => simulatedTransaction(requested, one, nonce, chainId))
      const setHashes = queueTransactionHashes(transactions)
      flushHashes()
      setHashes()
      for (const [index, [one, requested, nonce]] of calls.entries()) {
        const made = transactions[index]!
        expect(made.hash).toBe(keccakHash(made.raw))
        const { from, to, gasLimit, value, data, maxFeePerGas, maxPriorityFeePerGas, accessList } = one
        const common = { nonce, gasLimit, value, data, accessList, signature: NO_SIGNATURE, chainId, to }
        if (requested.gasPrice === undefined) {
          expect(made).toEqual({
            ...createTransaction({ type: 2, ...common, maxFeePerGas, maxPriorityFeePerGas }),
            from,
          })
        } else if (requested.accessList !== undefined) {
          expect(made).toEqual({ ...createTransaction({ type: 1, ...common, gasPrice: maxFeePerGas }), from })
        }
      }
    }),
    { numRuns: 200 },
  )
})

test("a transaction never has another one's hash before its own is computed", () => {
  const [one] = fc.sample(call, 1)
  const made = simulatedTransaction({}, one!, 0n, 1n)
  expect(made.hash).toBe(ZERO_HASH)
  expect(bytesToHex(made.raw).slice(0, 4)).toBe('0x02')
})
