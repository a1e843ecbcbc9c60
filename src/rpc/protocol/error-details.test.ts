import { describe, expect, test } from 'vitest'
import type { InvalidTransaction } from '../../chain/transaction/refusal.ts'
import type { CallRequestError } from '../../engine/call/call-message.ts'
import type { SimulationError } from '../../engine/simulate/simulation-error.ts'
import { toAddress, toHash } from '../../primitives/hex.ts'
import {
  callError,
  damagedData,
  executionTimeout,
  forkError,
  headerNotFound,
  outcomeUnknown,
  outOfResponseMemory,
  rateLimited,
  responseTooLarge,
  revertMessage,
  setHeadError,
  simulationError,
  statePruned,
  submitError,
  unknownAccount,
} from './errors.ts'

const HASH = toHash(`0x${'11'.repeat(32)}`)
const SENDER = toAddress(`0x${'22'.repeat(20)}`)
const NONCE_TOO_LOW = { code: 'NONCE_TOO_LOW', address: SENDER, expected: 8n, actual: 7n } as const

describe('an error for the client', () => {
  test('has code, message and data as JSON, and the cause for the texts of other nodes', () => {
    const error = headerNotFound(7, 3)

    expect(error.toJson()).toEqual({ code: -32000, message: 'header not found', data: undefined })
    expect(error.reason).toEqual({ kind: 'unknownBlock', requested: 7, latest: 3 })
  })

  test('says that a write may have taken effect, with a code that clients do not retry', () => {
    expect(outcomeUnknown()).toMatchObject({
      code: -32008,
      message: expect.stringMatching(/^the outcome is unknown: .*same nonce; the same transaction may be sent again$/),
    })
  })

  test('has the time limit of an execution in seconds', () => {
    expect(executionTimeout(5_500)).toMatchObject({ code: -32000, message: 'execution aborted (timeout = 5.5s)' })
  })

  test('of a pruned state has the words by which routers find an archive node, and the oldest block', () => {
    expect(statePruned({ number: 5, oldest: 9 })).toMatchObject({
      code: -32000,
      message: 'historical state is not available: state at block #5 is pruned; ask for block 9 or later (--history)',
    })
  })

  test.each([
    ['FORK_UNREACHABLE', -32005],
    ['FORK_TIMEOUT', -32005],
    ['FORK_RATE_LIMITED', -32005],
    ['FORK_BLOCK_REPLACED', -32000],
  ])('of the forked node with %s has code %i', (code, expected) => {
    expect(forkError({ code, message: 'why' })).toMatchObject({ code: expected, message: 'why', data: { code } })
  })

  test('of an unknown account names it for other nodes', () => {
    expect(unknownAccount(SENDER)).toMatchObject({
      code: -32000,
      message: 'unknown account',
      reason: { kind: 'send', refusal: { code: 'UNKNOWN_ACCOUNT', address: SENDER } },
    })
  })

  test('of the rate limit has the time to wait in whole milliseconds', () => {
    expect(rateLimited(12.1)).toMatchObject({
      code: -32005,
      message: 'rate limit exceeded: retry in 13 ms',
      data: { retryAfter: 13 },
    })
  })

  test('of damaged data names the table', () => {
    expect(damagedData('headers')).toMatchObject({ code: -32007, data: { table: 'headers' } })
  })

  test('of a large response has its size, if it is known', () => {
    expect(responseTooLarge(10, 12)).toMatchObject({
      code: -32003,
      message: 'response too large: 12 bytes, at most 10; ask for less at once',
    })
    expect(responseTooLarge(10).message).toBe('response too large: more than 10 bytes; ask for less at once')
  })

  test('of too many responses may be retried', () => {
    expect(outOfResponseMemory()).toMatchObject({ code: -32005, message: expect.stringMatching(/try again later/) })
  })

  test.each([
    [undefined, 'execution reverted'],
    ['nope', 'execution reverted: nope'],
  ])('of a revert with reason %s says so', (reason, message) => {
    expect(revertMessage(reason)).toBe(message)
  })
})

describe('the error of a refused transaction', () => {
  test.each<[string, Parameters<typeof submitError>[0], object | undefined]>([
    ['a used nonce', NONCE_TOO_LOW, { nextNonce: '0x8', transactionNonce: '0x7' }],
    [
      'missing funds',
      { code: 'INSUFFICIENT_FUNDS', address: SENDER, balance: 1n, cost: 3n, queuedCost: 4n },
      { balance: '0x1', cost: '0x3', queuedCost: '0x4', overshot: '0x6' },
    ],
    [
      'a replacement',
      {
        code: 'REPLACEMENT_UNDERPRICED',
        replaced: HASH,
        nonce: 0n,
        requiredMaxFeePerGas: 2n,
        requiredMaxPriorityFeePerGas: 1n,
      },
      { replaced: HASH, requiredMaxFeePerGas: '0x2', requiredMaxPriorityFeePerGas: '0x1' },
    ],
    ['a known transaction', { code: 'ALREADY_KNOWN' }, undefined],
  ])('has details of %s in dialect base', (_, refusal, data) => {
    expect(submitError(refusal, 'base')).toMatchObject({ data, reason: { kind: 'submit', refusal } })
  })

  test('with too many blobs may be sent again unchanged', () => {
    const codeOf = (code: 'TOO_MANY_BLOBS' | 'EMPTY_AUTHORIZATION_LIST') =>
      submitError({ code } as Parameters<typeof submitError>[0], 'ethereum').code

    expect(codeOf('TOO_MANY_BLOBS')).toBe(-32005)
    expect(codeOf('EMPTY_AUTHORIZATION_LIST')).toBe(-32000)
  })
})

test.each<[Parameters<typeof setHeadError>[0], RegExp]>([
  [{ code: 'ABOVE_LATEST', number: 9, latest: 7 }, /^block 9 is above the head: latest is 7$/],
  [{ code: 'BELOW_FINALIZED', number: 1, finalized: 2 }, /^block 1 is below the finalized block 2, which stays$/],
  [
    { code: 'BELOW_FORK', number: 1, fork: 2 },
    /^block 1 is below the fork block 2: .*anvil_reset.*--fork-block-number$/,
  ],
  [
    { code: 'STATE_PRUNED', number: 1, oldest: 2 },
    /^the state of block 1 .*go back to block 2 or a later one.*--history$/,
  ],
])('debug_setHead refuses %o and says what to do', (refusal, message) => {
  expect(setHeadError(refusal)).toMatchObject({ code: -32000, message: expect.stringMatching(message) })
})

describe('a failed simulation', () => {
  const invalid = (error: InvalidTransaction): SimulationError => ({ code: 'INVALID_TRANSACTION', error, gasLimit: 1n })
  const sameKinds: SimulationError = { code: 'INVALID_REQUEST', error: { code: 'BOTH_FEE_STYLES' } }

  test.each<[SimulationError, base: number, ethereum: number]>([
    [{ code: 'EMPTY_INPUT' }, -32602, -32602],
    [{ code: 'TOO_MANY_BLOCKS', limit: 1 }, -38026, -38026],
    [{ code: 'BLOCK_NUMBER_ORDER', number: 1, previous: 2 }, -38020, -38020],
    [{ code: 'TIMEOUT' }, -32016, -32016],
    [sameKinds, -32602, -32000],
    [invalid(NONCE_TOO_LOW), -38010, -38010],
    [invalid({ code: 'NONCE_MAX', address: SENDER, actual: 1n }), -32000, -32603],
  ])('with %o has the code of its cause by dialect', (error, base, ethereum) => {
    expect(simulationError(error, 'base').code).toBe(base)
    expect(simulationError(error, 'ethereum').code).toBe(ethereum)
    expect(simulationError(error, 'base').message).toBe(simulationError(error, 'ethereum').message)
  })
})

describe('a failed call', () => {
  test('with an invalid message has the gas with which it was tried', () => {
    const failure = { kind: 'invalid', error: NONCE_TOO_LOW, gasLimit: 5n } as const

    expect(callError(failure)).toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^err: nonce too low: .* \(supplied gas 5\)$/),
      reason: { kind: 'call', failure, transaction: undefined },
    })
    expect(callError(failure, HASH).reason).toMatchObject({ transaction: HASH })
  })

  test.each<[string, CallRequestError]>([
    ['both kinds of fees', { code: 'BOTH_FEE_STYLES' }],
    ['another chain id', { code: 'WRONG_CHAIN_ID', expected: 1n, actual: 2n }],
  ])('with %s names no gas', (_, error) => {
    const { code, message } = callError({ kind: 'invalid', error, gasLimit: 5n })

    expect(code).toBe(-32000)
    expect(message).not.toMatch(/^err: |supplied gas/)
  })

  test('with a refused override says which', () => {
    const error = { code: 'NOT_A_PRECOMPILE', address: SENDER } as const

    expect(callError({ kind: 'overrides', error })).toMatchObject({
      code: -32000,
      message: expect.stringContaining(SENDER),
    })
  })
})
