import fc from 'fast-check'
import { expect, test } from 'vitest'
import { constantSidecar, signBlobTransfer } from '../../../test/support/blob-transactions.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import { decodeSentTransaction, encodeSentTransaction, sentSize, sidecarFault, withoutSidecar } from './blob-sidecar.ts'
import { recoverTransaction, withType } from './transaction-codec.ts'
import { TransactionDecodeError } from './transaction-decode-error.ts'

test.each([0, 1] as const)('round-trips a sent transaction with its blobs (version %i)', (version) => {
  const { transaction, sent } = signBlobTransfer({ sidecar: constantSidecar([5n, 6n], version) })
  const read = recoverTransaction(decodeSentTransaction(sent))
  expect(read).toMatchObject({ type: 3, hash: transaction.hash, from: transaction.from, sidecar: { version } })
  if (read.type !== 3) throw new Error('another type was read')
  expect(bytesToHex(encodeSentTransaction(read))).toBe(bytesToHex(sent))
  expect(bytesToHex(read.raw)).toBe(bytesToHex(transaction.raw))
  expect(sent.length - sentSize(read)).toBeLessThan(sent.length / 20)
  expect(withoutSidecar(read)).not.toHaveProperty('sidecar')
  expect(decodeSentTransaction(transaction.raw)).not.toHaveProperty('sidecar')
})

test('rejects bytes that are not a transaction like any others', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (content) => {
      try {
        decodeSentTransaction(withType(3, content))
      } catch (error) {
        expect(error).toBeInstanceOf(TransactionDecodeError)
      }
    }),
  )
  const { transaction } = signBlobTransfer()
  const wrapped = (...rest: Parameters<typeof encodeRlp>[0][]) => withType(3, encodeRlp([[transaction.raw], ...rest]))
  expect(() => decodeSentTransaction(wrapped([], [], []))).toThrow(TransactionDecodeError)
})

test.each<[string, Parameters<typeof sidecarFault>[0], 0 | 1, string]>([
  ['another version', constantSidecar([5n], 0), 1, 'version 0, want 1'],
  ['a lacking blob', { ...constantSidecar([5n]), blobs: [] }, 1, '0 blobs compared to 1'],
  ['a lacking commitment', { ...constantSidecar([5n]), commitments: [] }, 1, '0 blob commitments'],
  [
    'a lacking proof',
    { ...constantSidecar([5n]), proofs: constantSidecar([5n]).proofs.slice(1) },
    1,
    '127 blob proofs',
  ],
  ['another commitment', { ...constantSidecar([6n]) }, 1, 'blob 0: computed hash mismatches'],
])('reports %s', (_, sidecar, version, reason) => {
  const { transaction } = signBlobTransfer({ sidecar: constantSidecar([5n]) })
  expect(sidecarFault(sidecar, transaction.blobVersionedHashes, [version])).toContain(reason)
})
