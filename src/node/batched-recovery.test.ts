import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keccak256 } from '../primitives/keccak.ts'
import { bigintToWord } from '../primitives/quantity.ts'
import { privateKeyToAddress, recoverAddress, SECP256K1_ORDER, type Signature, sign } from '../primitives/secp256k1.ts'
import { BatchedSenderRecovery, type SignatureThread } from './batched-recovery.ts'
import { answerQuestions, decodeAnswers, encodeQuestions } from './signature-batch.ts'

const OPTIONS = { smallestBatch: 3, largestBatch: 4 }

/** A signature of the key of that number, and who that is. */
function signed(number: number) {
  const key = bigintToWord(BigInt(number))
  const hash = keccak256(key)
  return { hash, signature: sign(hash, key), from: privateKeyToAddress(key) }
}

/** Rounds and a thread that go on when the test says so. */
function scene(options: ConstructorParameters<typeof BatchedSenderRecovery>[0] = OPTIONS) {
  const rounds: (() => void)[] = []
  const time = { now: 0 }
  const threads: { batches: Uint8Array[]; answer: () => void; fail: (error: Error) => void; isEnded: boolean }[] = []
  const errors: unknown[] = []
  const startThread = (): SignatureThread => {
    const batches: Uint8Array[] = []
    let tell = (_: Uint8Array) => {}
    let end = (_: unknown) => {}
    const thread = {
      batches,
      answer: () => tell(answerQuestions(batches.at(-1)!)),
      fail: (error: Error) => end(error),
      isEnded: false,
    }
    threads.push(thread)
    return {
      post: (questions) => batches.push(questions),
      listen(onAnswers, onEnd) {
        tell = onAnswers
        end = onEnd
      },
      async end() {
        thread.isEnded = true
      },
    }
  }
  const recovery = new BatchedSenderRecovery(options, {
    startThread,
    nextRound: (action) => rounds.push(action),
    now: () => time.now,
    log: { error: (details: unknown) => errors.push(details) } as never,
  })
  const ask = (numbers: readonly number[]) =>
    numbers.map((number) => recovery.recover(signed(number).hash, signed(number).signature))
  return {
    recovery,
    threads,
    errors,
    ask,
    nextRound: () => {
      time.now += 1
      for (const action of rounds.splice(0)) action()
    },
  }
}

const senders = (...numbers: number[]) => numbers.map((number) => signed(number).from)

test('one or two on their own are answered here, without a thread', async () => {
  const { ask, nextRound, threads } = scene()
  const answers = ask([1, 2])
  nextRound()
  expect(await Promise.all(answers)).toEqual(senders(1, 2))
  expect(threads).toEqual([])
})

test('what comes in together goes to the thread; what comes in the meantime is the next batch', async () => {
  const { ask, nextRound, threads } = scene()
  const answers = ask([1, 2, 3])
  nextRound()
  answers.push(...ask([4, 5, 6, 7, 8]))
  nextRound()
  expect(threads[0]!.batches.map(({ length }) => length / 97)).toEqual([3])
  threads[0]!.answer()
  expect(threads[0]!.batches.map(({ length }) => length / 97)).toEqual([3, 4])
  threads[0]!.answer()
  expect(await Promise.all(answers)).toEqual(senders(1, 2, 3, 4, 5, 6, 7, 8))
  expect(threads).toHaveLength(1)
})

test('questions that come one in a round are one batch, as far as patience goes', async () => {
  const { ask, nextRound, threads } = scene({ ...OPTIONS, patience: 3 })
  const answers = ask([1])
  nextRound()
  answers.push(...ask([2]))
  nextRound()
  answers.push(...ask([3]))
  expect(threads).toEqual([])
  nextRound()
  answers.push(...ask([4]))
  threads[0]!.answer()
  expect(threads[0]!.batches.map(({ length }) => length / 97)).toEqual([3])
  nextRound()
  answers.push(...ask([5, 6, 7]))
  nextRound()
  expect(threads[0]!.batches.map(({ length }) => length / 97)).toEqual([3, 4])
  threads[0]!.answer()
  expect(await Promise.all(answers)).toEqual(senders(1, 2, 3, 4, 5, 6, 7))
})

test('one alone waits for a single round that brings no other', async () => {
  const { ask, nextRound, threads } = scene({ ...OPTIONS, patience: 100 })
  const answers = ask([1])
  nextRound()
  nextRound()
  expect(await Promise.all(answers)).toEqual(senders(1))
  expect(threads).toEqual([])
})

test('answers come in the order of the questions, those that are answered here too', async () => {
  const { ask, nextRound, threads } = scene()
  const order: number[] = []
  const note = (numbers: number[]) =>
    ask(numbers).map((answer, index) => answer.then(() => order.push(numbers[index]!)))
  const answers = note([1, 2, 3])
  nextRound()
  answers.push(...note([4]))
  nextRound()
  expect(order).toEqual([])
  threads[0]!.answer()
  await Promise.all(answers)
  expect(order).toEqual([1, 2, 3, 4])
})

test('a thread that fails costs nobody an answer, and the next batch starts another', async () => {
  const { ask, nextRound, threads, errors } = scene()
  const first = ask([1, 2, 3, 4, 5])
  nextRound()
  threads[0]!.fail(new Error('gone'))
  threads[0]!.fail(new Error('it ended with code 1'))
  expect(await Promise.all(first)).toEqual(senders(1, 2, 3, 4, 5))
  expect(errors).toHaveLength(1)
  const second = ask([6, 7, 8])
  nextRound()
  threads[1]!.answer()
  expect(await Promise.all(second)).toEqual(senders(6, 7, 8))
})

test('closing answers what is still asked and ends the thread', async () => {
  const { recovery, ask, nextRound, threads } = scene()
  const answers = ask([1, 2, 3])
  nextRound()
  answers.push(...ask([4]))
  await recovery.close()
  expect(await Promise.all(answers)).toEqual(senders(1, 2, 3, 4))
  expect(threads[0]!.isEnded).toBe(true)
  const late = ask([5])
  nextRound()
  expect(await Promise.all(late)).toEqual(senders(5))
})

test('a batch is answered as each of its signatures is', () => {
  const scalar = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.constantFrom(0n, 1n, SECP256K1_ORDER))
  const signature = fc.record<Signature>({ r: scalar, s: scalar, yParity: fc.constantFrom(0, 1) })
  const made = fc.integer({ min: 1, max: 50 }).map((number) => signed(number))
  const random = fc.record({ hash: fc.uint8Array({ minLength: 32, maxLength: 32 }), signature })
  fc.assert(
    fc.property(fc.array(fc.oneof(made, random), { maxLength: 8 }), (questions) => {
      const answers = decodeAnswers(answerQuestions(encodeQuestions(questions)))
      expect(answers).toEqual(questions.map(({ hash, signature: given }) => recoverAddress(hash, given)))
    }),
  )
})
