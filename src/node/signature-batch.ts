import { type Address, type Bytes, bytesToHex, hexToBytes } from '../primitives/hex.ts'
import { bigintToWord, bytesToBigint } from '../primitives/quantity.ts'
import { recoverAddress, type Signature } from '../primitives/secp256k1.ts'

/** What was signed, and the signature. */
export interface SignatureQuestion {
  /** 32 bytes. */
  readonly hash: Bytes
  readonly signature: Signature
}

const HASH = 32
const WORD = 32
const QUESTION = HASH + 2 * WORD + 1
const ADDRESS = 20
const ANSWER = 1 + ADDRESS

/** Questions in one piece of memory, as they go to another thread: hash, r, s, parity of each. */
export function encodeQuestions(questions: readonly SignatureQuestion[]): Bytes {
  const bytes = new Uint8Array(questions.length * QUESTION)
  for (const [index, { hash, signature }] of questions.entries()) {
    const at = index * QUESTION
    bytes.set(hash, at)
    bytes.set(bigintToWord(signature.r), at + HASH)
    bytes.set(bigintToWord(signature.s), at + HASH + WORD)
    bytes[at + QUESTION - 1] = signature.yParity
  }
  return bytes
}

/** Answers to encoded questions: whether somebody signed, and who, of each. */
export function answerQuestions(questions: Bytes): Bytes {
  const count = questions.length / QUESTION
  const answers = new Uint8Array(count * ANSWER)
  for (let index = 0; index < count; index++) {
    const question = questions.subarray(index * QUESTION, (index + 1) * QUESTION)
    const address = recoverAddress(question.subarray(0, HASH), {
      r: bytesToBigint(question.subarray(HASH, HASH + WORD)),
      s: bytesToBigint(question.subarray(HASH + WORD, HASH + 2 * WORD)),
      yParity: question[QUESTION - 1] === 0 ? 0 : 1,
    })
    if (address === undefined) continue
    answers[index * ANSWER] = 1
    answers.set(hexToBytes(address), index * ANSWER + 1)
  }
  return answers
}

export function decodeAnswers(answers: Bytes): readonly (Address | undefined)[] {
  return Array.from({ length: answers.length / ANSWER }, (_, index) => {
    const answer = answers.subarray(index * ANSWER, (index + 1) * ANSWER)
    return answer[0] === 0 ? undefined : (bytesToHex(answer.subarray(1)) as Address)
  })
}
