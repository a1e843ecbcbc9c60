import { COMPACT_SIGNATURE, signedRoom, writeSigned } from '../../chain/transaction/signed-message.ts'
import type { SignedTransaction } from '../../chain/transaction/transaction.ts'
import { type Address, type Bytes, hexWithin } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { recoverAccount } from '../../primitives/secp256k1/secp256k1.ts'

/** Length of an item and parity, in front of it. */
const LENGTH = 4
const HEAD = LENGTH + 1
const ADDRESS = 20
const RESULT_BYTES = 1 + ADDRESS

/**
 * Encodes signatures to recover as one buffer for the recovery thread: per item its length, the parity, `r`, `s`, and
 * the signed payload, which the other thread hashes.
 */
export function encodeQuestions(transactions: readonly SignedTransaction[]): Bytes {
  let room = 0
  for (const transaction of transactions) room += HEAD + signedRoom(transaction)
  const bytes = Buffer.allocUnsafeSlow(room)
  let at = 0
  for (const transaction of transactions) {
    const end = writeSigned(transaction, bytes, at + HEAD)
    bytes.writeUInt32LE(end - at - HEAD, at)
    bytes[at + LENGTH] = transaction.signature.yParity
    at = end
  }
  return bytes.subarray(0, at)
}

/** Recovers the sender of each encoded item, if its signature is valid. */
export function recoverBatch(questions: Bytes): Bytes {
  const bytes = Buffer.from(questions.buffer, questions.byteOffset, questions.length)
  const responses: Bytes[] = []
  for (let at = 0; at < bytes.length; ) {
    const start = at + HEAD
    const yParity = bytes[at + LENGTH] === 0 ? 0 : 1
    at = start + bytes.readUInt32LE(at)
    const messageAt = start + COMPACT_SIGNATURE
    const hash = keccak256(bytes.subarray(messageAt, at))
    const response = new Uint8Array(RESULT_BYTES)
    const account = recoverAccount(hash, bytes.subarray(start, messageAt), yParity)
    if (account !== undefined) {
      response[0] = 1
      response.set(account, 1)
    }
    responses.push(response)
  }
  const all = new Uint8Array(responses.length * RESULT_BYTES)
  for (const [index, response] of responses.entries()) all.set(response, index * RESULT_BYTES)
  return all
}

export function decodeRecovered(responses: Bytes): readonly (Address | undefined)[] {
  return Array.from({ length: responses.length / RESULT_BYTES }, (_, index) => {
    const at = index * RESULT_BYTES
    return responses[at] === 0 ? undefined : (hexWithin(responses, at + 1, at + RESULT_BYTES) as Address)
  })
}
