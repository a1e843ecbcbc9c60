import { COMPACT_SIGNATURE, signedRoom, writeSigned } from '../../chain/transaction/signed-message.ts'
import type { SignedTransaction } from '../../chain/transaction/transaction.ts'
import { type Address, type Bytes, hexWithin } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { recoverAccount } from '../../primitives/secp256k1.ts'

/** Length of a question and parity in front of it. */
const LENGTH = 4
const HEAD = LENGTH + 1
const ADDRESS = 20
const ANSWER = 1 + ADDRESS

/**
 * Who signed these, in one piece of memory, as it goes to another thread: of each its length, the parity, `r`, `s`,
 * and what was signed. Hashing that is left to the other thread.
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
export function answerQuestions(questions: Bytes): Bytes {
  const bytes = Buffer.from(questions.buffer, questions.byteOffset, questions.length)
  const answers: Bytes[] = []
  for (let at = 0; at < bytes.length; ) {
    const start = at + HEAD
    const yParity = bytes[at + LENGTH] === 0 ? 0 : 1
    at = start + bytes.readUInt32LE(at)
    const messageAt = start + COMPACT_SIGNATURE
    const hash = keccak256(bytes.subarray(messageAt, at))
    const answer = new Uint8Array(ANSWER)
    const account = recoverAccount(hash, bytes.subarray(start, messageAt), yParity)
    if (account !== undefined) {
      answer[0] = 1
      answer.set(account, 1)
    }
    answers.push(answer)
  }
  const all = new Uint8Array(answers.length * ANSWER)
  for (const [index, answer] of answers.entries()) all.set(answer, index * ANSWER)
  return all
}

export function decodeAnswers(answers: Bytes): readonly (Address | undefined)[] {
  return Array.from({ length: answers.length / ANSWER }, (_, index) => {
    const at = index * ANSWER
    return answers[at] === 0 ? undefined : (hexWithin(answers, at + 1, at + ANSWER) as Address)
  })
}
