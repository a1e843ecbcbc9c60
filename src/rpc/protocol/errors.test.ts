import { expect, test } from 'vitest'
import type { SubmitRefusal } from '../../chain/transaction/refusal.ts'
import { toAddress, toHash } from '../../primitives/hex.ts'
import { callError, submitError } from './errors.ts'

const REPLACED = toHash(`0x${'11'.repeat(32)}`)
const SENDER = toAddress(`0x${'22'.repeat(20)}`)

test.each<[string, SubmitRefusal]>(
  words([
    [{ code: 'ALREADY_KNOWN' }, 'already known'],
    [{ code: 'NONCE_TOO_LOW', address: SENDER, expected: 8n, actual: 7n }, 'nonce too low'],
    [
      { code: 'INSUFFICIENT_FUNDS', address: SENDER, balance: 1n, cost: 3n, queuedCost: 0n },
      'insufficient funds for gas * price + value',
    ],
    [
      {
        code: 'REPLACEMENT_UNDERPRICED',
        replaced: REPLACED,
        nonce: 0n,
        requiredMaxFeePerGas: 2n,
        requiredMaxPriorityFeePerGas: 1n,
      },
      'replacement transaction underpriced',
    ],
  ]),
)('dialect base has the message %s', (message, refusal) => {
  const error = submitError(refusal, 'base')
  expect(error).toMatchObject({ code: -32000, message })
})

test.each<[string, SubmitRefusal]>(
  words([
    [{ code: 'NONCE_TOO_LOW', address: SENDER, expected: 8n, actual: 7n }, 'nonce too low: next nonce 8, tx nonce 7'],
    [
      { code: 'INSUFFICIENT_FUNDS', address: SENDER, balance: 1n, cost: 3n, queuedCost: 0n },
      'insufficient funds for gas * price + value: balance 1, tx cost 3, overshot 2',
    ],
  ]),
)('dialect ethereum has details in the message %s', (message, refusal) => {
  expect(submitError(refusal, 'ethereum')).toMatchObject({ code: -32000, message, data: undefined })
})

test.each<[string, SubmitRefusal]>(
  words([
    [{ code: 'NONCE_MAX', address: SENDER, actual: 2n ** 64n - 1n }, 'nonce has max value'],
    [{ code: 'OVERSIZED_DATA', size: 9, limit: 5 }, 'oversized data: transaction size 9, limit 5'],
    [{ code: 'TYPE_NOT_SUPPORTED', type: 3 }, 'transaction type not supported'],
    [
      { code: 'WRONG_CHAIN_ID', expected: 2n, actual: 1n },
      'invalid sender: invalid chain id for signer: have 1 want 2',
    ],
    [{ code: 'EXCEEDS_BLOCK_GAS_LIMIT', gasLimit: 2n, blockGasLimit: 1n }, 'exceeds block gas limit'],
    [{ code: 'GAS_ABOVE_CAP', gasLimit: 2n, cap: 1n }, 'transaction gas limit too high (cap: 1, tx: 2)'],
    [{ code: 'INTRINSIC_GAS_TOO_LOW', gasLimit: 1n, needed: 2n }, 'intrinsic gas too low: gas 1, minimum needed 2'],
    [{ code: 'ACCOUNT_LIMIT', pooled: 16 }, 'account limit exceeded: pooled 16 txs'],
    [{ code: 'SENDER_NOT_EOA', address: SENDER }, `sender not an eoa: address ${SENDER}`],
    [
      { code: 'FEE_ABOVE_CAP', fee: 1_500_000_000_000_000_000n, cap: 10n ** 18n },
      'tx fee (1.50 ether) exceeds the configured cap (1.00 ether)',
    ],
  ]),
)('both dialects have the message %s', (message, refusal) => {
  for (const dialect of ['base', 'ethereum'] as const) {
    expect(submitError(refusal, dialect)).toMatchObject({ code: -32000, message })
  }
})

test('failed calls have codes that clients do not retry', () => {
  expect(callError({ kind: 'halted', reason: 'out of gas' })).toMatchObject({ code: -32000, message: 'out of gas' })
  expect(callError({ kind: 'allowance', gas: 5n }).message).toBe('gas required exceeds allowance (5)')
  expect(callError({ kind: 'reverted', output: new Uint8Array(0) })).toMatchObject({
    code: 3,
    message: 'execution reverted',
    data: '0x',
  })
})

/** The text comes first, for the titles: JSON has no bigint. */
function words(table: [SubmitRefusal, string][]): [string, SubmitRefusal][] {
  return table.map(([refusal, message]) => [message, refusal])
}
