import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signTransfer } from '../../../test/support/transfers.ts'
import { SECP256K1_ORDER } from '../../primitives/secp256k1/secp256k1.ts'
import { receiveTransaction } from './received-transaction.ts'
import { recoverHere, type SenderRecovery } from './sender-recovery.ts'

const LAYER_2 = { hasBlobs: false }
const nobody: SenderRecovery = { recover: () => expect.unreachable('it is recovered again') }

test('trusts a sender that another process of the node has recovered', async () => {
  const sent = signTransfer({ nonce: 7n })
  const received = await receiveTransaction(sent.raw, LAYER_2, nobody, sent.from)
  expect(received).toEqual(await receiveTransaction(sent.raw, LAYER_2, recoverHere))
  expect(received).toMatchObject({ kind: 'transaction', transaction: { hash: sent.hash, from: sent.from } })
})

test('property: rejects a transaction with the same error with and without a given sender', async () => {
  const sent = signTransfer({ nonce: 7n })
  const changed = fc.oneof(
    fc.nat({ max: sent.raw.length - 1 }).map((length) => sent.raw.slice(0, length)),
    fc.tuple(fc.nat({ max: 8 }), fc.nat({ max: 255 })).map(([position, byte]) => {
      const raw = sent.raw.slice()
      raw[position] = byte
      return raw
    }),
    fc.uint8Array({ maxLength: 40 }),
  )
  await fc.assert(
    fc.asyncProperty(changed, async (raw) => {
      const received = await receiveTransaction(raw, LAYER_2, recoverHere)
      const from = received.kind === 'transaction' ? received.transaction.from : sent.from
      expect(await receiveTransaction(raw, LAYER_2, nobody, from)).toEqual(received)
    }),
  )
})

test('rejects a malleable signature even with a given sender', async () => {
  const { raw, from, signature } = signTransfer({ nonce: 7n })
  const malleable = Buffer.from(raw)
  const high = (SECP256K1_ORDER - signature.s).toString(16).padStart(64, '0')
  malleable.set(Buffer.from(high, 'hex'), raw.length - 32)
  expect(await receiveTransaction(malleable, LAYER_2, nobody, from)).toMatchObject({
    kind: 'refused',
    refusal: { code: 'INVALID_SIGNATURE' },
  })
})
