import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signAuthorization } from '../../chain/transaction/authorization.ts'
import type { SignedTransaction } from '../../chain/transaction/transaction.ts'
import {
  createTransaction,
  decodeTransaction,
  signingHash,
  signTransaction,
} from '../../chain/transaction/transaction-codec.ts'
import type { UnsignedTransaction } from '../../chain/transaction/transaction-payload.ts'
import { ZERO_ADDRESS, ZERO_HASH } from '../../primitives/hex.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import { recoverAddress, SECP256K1_ORDER, type Signature } from '../../primitives/secp256k1/secp256k1.ts'
import { BatchedSenderRecovery, type SignatureThread } from './batched-recovery.ts'
import { decodeRecovered, encodeQuestions, recoverBatch } from './signature-batch.ts'

const OPTIONS = { smallestBatch: 3, largestBatch: 4 }

const AUTHORIZATION = { chainId: 31_337n, address: ZERO_ADDRESS, nonce: 8n }
const CALL = { nonce: 0n, gasLimit: 21_000n, to: ZERO_ADDRESS, value: 1n, data: new Uint8Array() }

/** A transaction of the key with this number. */
function signed(number: number) {
  return signTransaction({ type: 0, chainId: 1n, gasPrice: 1n, ...CALL }, bigintToWord(BigInt(number)))
}

/** Rounds and a thread that advance on request. */
function scene(options: ConstructorParameters<typeof BatchedSenderRecovery>[0] = OPTIONS) {
  const rounds: (() => void)[] = []
  const time = { now: 0 }
  const threads: {
    batches: Uint8Array[]
    reply: (batch?: number) => void
    fail: (error: Error) => void
    isEnded: boolean
  }[] = []
  const errors: unknown[] = []
  const startThread = (): SignatureThread => {
    const batches: Uint8Array[] = []
    let post = (_: Uint8Array) => {}
    let end = (_: unknown) => {}
    const thread = {
      batches,
      reply: (batch = batches.length - 1) => post(recoverBatch(batches[batch]!)),
      fail: (error: Error) => end(error),
      isEnded: false,
    }
    threads.push(thread)
    return {
      post: (questions) => batches.push(questions),
      listen(onResponses, onEnd) {
        post = onResponses
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
  const request = (numbers: readonly number[]) =>
    numbers.map((number) => recovery.recover(decodeTransaction(signed(number).raw) as SignedTransaction))
  return {
    recovery,
    threads,
    errors,
    request,
    nextRound: () => {
      time.now += 1
      for (const action of rounds.splice(0)) action()
    },
  }
}

const sizes = (batches: readonly Uint8Array[]) => batches.map((batch) => decodeRecovered(recoverBatch(batch)).length)
const senders = (...numbers: number[]) => numbers.map((number) => signed(number).from)

test('recovers one or two senders on the calling thread', async () => {
  const { request, nextRound, threads } = scene()
  const responses = request([1, 2])
  nextRound()
  expect(await Promise.all(responses)).toEqual(senders(1, 2))
  expect(threads).toEqual([])
})

test('recovers simultaneous requests on a thread; later requests form the next batch', async () => {
  const { request, nextRound, threads } = scene()
  const responses = request([1, 2, 3])
  nextRound()
  responses.push(...request([4, 5, 6, 7, 8]))
  nextRound()
  expect(sizes(threads[0]!.batches)).toEqual([3])
  threads[0]!.reply()
  expect(sizes(threads[0]!.batches)).toEqual([3, 4])
  threads[0]!.reply()
  expect(await Promise.all(responses)).toEqual(senders(1, 2, 3, 4, 5, 6, 7, 8))
  expect(threads).toHaveLength(1)
})

test('collects requests of several rounds into one batch, up to the configured patience', async () => {
  const { request, nextRound, threads } = scene({ ...OPTIONS, patienceMs: 3 })
  const responses = request([1])
  nextRound()
  responses.push(...request([2]))
  nextRound()
  responses.push(...request([3]))
  expect(threads).toEqual([])
  nextRound()
  responses.push(...request([4]))
  threads[0]!.reply()
  expect(sizes(threads[0]!.batches)).toEqual([3])
  nextRound()
  responses.push(...request([5, 6, 7]))
  nextRound()
  expect(sizes(threads[0]!.batches)).toEqual([3, 4])
  threads[0]!.reply()
  expect(await Promise.all(responses)).toEqual(senders(1, 2, 3, 4, 5, 6, 7))
})

test('a single request waits for one round without further requests', async () => {
  const { request, nextRound, threads } = scene({ ...OPTIONS, patienceMs: 100 })
  const responses = request([1])
  nextRound()
  nextRound()
  expect(await Promise.all(responses)).toEqual(senders(1))
  expect(threads).toEqual([])
})

test('resolves requests in order, including those recovered on the calling thread', async () => {
  const { request, nextRound, threads } = scene()
  const order: number[] = []
  const note = (numbers: number[]) =>
    request(numbers).map((response, index) => response.then(() => order.push(numbers[index]!)))
  const responses = note([1, 2, 3])
  nextRound()
  responses.push(...note([4]))
  nextRound()
  expect(order).toEqual([])
  threads[0]!.reply()
  await Promise.all(responses)
  expect(order).toEqual([1, 2, 3, 4])
})

test('a failing thread loses no request, and the next batch starts a new thread', async () => {
  const { request, nextRound, threads, errors } = scene()
  const first = request([1, 2, 3, 4, 5])
  nextRound()
  threads[0]!.fail(new Error('gone'))
  threads[0]!.fail(new Error('it ended with code 1'))
  expect(await Promise.all(first)).toEqual(senders(1, 2, 3, 4, 5))
  expect(errors).toHaveLength(1)
  const second = request([6, 7, 8])
  nextRound()
  threads[1]!.reply()
  expect(await Promise.all(second)).toEqual(senders(6, 7, 8))
})

test('close() resolves pending requests and ends the thread', async () => {
  const { recovery, request, nextRound, threads } = scene()
  const responses = request([1, 2, 3])
  nextRound()
  responses.push(...request([4]))
  await recovery.close()
  expect(await Promise.all(responses)).toEqual(senders(1, 2, 3, 4))
  expect(threads[0]!.isEnded).toBe(true)
  const late = request([5])
  nextRound()
  expect(await Promise.all(late)).toEqual(senders(5))
})

test('with two batches in flight, a full batch does not wait for the previous one', async () => {
  const { request, nextRound, threads } = scene({ ...OPTIONS, batchesUnderWay: 2 })
  const order: number[] = []
  const responses = Array.from({ length: 14 }, (_, index) =>
    request([index + 1]).map((response) => response.then(() => order.push(index + 1))),
  ).flat()
  expect(sizes(threads[0]!.batches)).toEqual([4, 4])
  threads[0]!.reply(0)
  expect(sizes(threads[0]!.batches)).toEqual([4, 4, 4])
  nextRound()
  threads[0]!.reply(1)
  expect(sizes(threads[0]!.batches)).toEqual([4, 4, 4])
  threads[0]!.reply(2)
  await Promise.all(responses)
  expect(order).toEqual(Array.from({ length: 14 }, (_, index) => index + 1))
})

test('a thread that fails with two batches in flight loses no request', async () => {
  const { request, threads } = scene({ ...OPTIONS, batchesUnderWay: 2 })
  const responses = request([1, 2, 3, 4, 5, 6, 7, 8, 9])
  threads[0]!.reply(0)
  threads[0]!.fail(new Error('gone'))
  threads[0]!.reply(1)
  expect(await Promise.all(responses)).toEqual(senders(1, 2, 3, 4, 5, 6, 7, 8, 9))
})

test('property: a batch gives the same result as recovering each signature', () => {
  const scalar = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.constantFrom(0n, 1n, SECP256K1_ORDER))
  const signature = fc.record<Signature>({ r: scalar, s: scalar, yParity: fc.constantFrom(0, 1) })
  const key = fc.integer({ min: 1, max: 50 }).map((number) => bigintToWord(BigInt(number)))
  const call = fc.record({
    nonce: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    gasLimit: fc.constant(21_000n),
    to: fc.constant(ZERO_ADDRESS),
    value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    // Messages of all lengths that need an RLP length prefix.
    data: fc.oneof(
      fc.uint8Array({ maxLength: 80 }),
      fc.constantFrom(255, 300, 70_000).map((size) => new Uint8Array(size)),
    ),
  })
  const accessList = [{ address: ZERO_ADDRESS, storageKeys: [ZERO_HASH] }]
  const fees = { chainId: 31_337n, maxFeePerGas: 9n, maxPriorityFeePerGas: 2n, accessList }
  const unsigned = call.chain((common) =>
    fc.constantFrom<UnsignedTransaction>(
      { type: 0, chainId: undefined, gasPrice: 9n, ...common },
      { type: 0, chainId: 2n ** 64n - 1n, gasPrice: 9n, ...common },
      { type: 1, chainId: 31_337n, gasPrice: 9n, accessList, ...common },
      { type: 2, ...fees, ...common },
      { type: 2, ...fees, ...common, to: null },
      { type: 3, maxFeePerBlobGas: 5n, blobVersionedHashes: [ZERO_HASH], ...fees, ...common },
      { type: 4, authorizationList: [signAuthorization(AUTHORIZATION, bigintToWord(7n))], ...fees, ...common },
    ),
  )
  const transaction = fc.oneof(
    fc.tuple(unsigned, key).map(([fields, by]) => signTransaction(fields, by)),
    fc.tuple(unsigned, signature).map(([fields, given]) => createTransaction({ ...fields, signature: given })),
  ) as fc.Arbitrary<SignedTransaction>
  fc.assert(
    fc.property(fc.array(transaction, { maxLength: 8 }), (transactions) => {
      const responses = decodeRecovered(recoverBatch(encodeQuestions(transactions)))
      expect(responses).toEqual(transactions.map((one) => recoverAddress(signingHash(one), one.signature)))
    }),
  )
})
