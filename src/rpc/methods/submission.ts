import { encodeConditional, encodeWaitingTransaction } from '../../chain/transaction/conditional-transaction.ts'
import { DEPOSIT_TYPE } from '../../chain/transaction/transaction.ts'
import { withDefaults } from '../../engine/call/call-message.ts'
import { simulatedTransaction } from '../../engine/simulate/simulated-transaction.ts'
import { bytesToHex, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { data, hash } from '../codecs/bytes.ts'
import { callObject } from '../codecs/call-object.ts'
import { milliseconds } from '../codecs/small-numbers.ts'
import { GO_ETHEREUM } from '../compat/node-conventions.ts'
import { formatPooledTransaction } from '../format/transaction.ts'
import { defineMethod, defineWritingMethod, optionalParam, requiredParam } from '../registry/method.ts'
import { RECEIPT_SCHEMA } from '../schemas/schemas.ts'
import { assertConditions } from '../sending/assert-conditions.ts'
import { assertTimeout, awaitReceipt } from '../sending/await-receipt.ts'
import { conditionalOptions, predicatesOf } from '../sending/conditional-options.ts'
import { assertSentByClient, assertValidity, decodedForValidity } from '../sending/conditional-transaction.ts'
import { fillForClient } from '../sending/fill-request.ts'
import { throwMinedFailure } from '../sending/mined-failure.ts'
import { accepted } from '../sending/sending.ts'
import { submitSigned } from '../sending/submit-signed.ts'
import { validityOptions } from '../sending/validity-codec.ts'

export const eth_sendRawTransaction = defineWritingMethod({
  name: 'eth_sendRawTransaction',
  summary: 'Submits a signed transaction to the pool, for the next flashblock. Returns its hash.',
  params: [requiredParam('data', data)],
  result: hash.schema,
  runsOnLeaderWithCompat: true,
  cost: 10,
  runsTogether: true,
  async handle([raw], context) {
    const transaction = await submitSigned(raw, context)
    await throwMinedFailure(transaction, context.conventions, context)
    return transaction.hash
  },
})

export const base_sendRawTransactionValidity = defineWritingMethod({
  name: 'base_sendRawTransactionValidity',
  summary: 'Submits a signed transaction that is included only in a block at whose state all predicates hold.',
  profiles: ['denim'],
  params: [requiredParam('data', data), requiredParam('options', validityOptions)],
  result: hash.schema,
  cost: 15,
  runsTogether: true,
  async handle([raw, { validity }], context) {
    assertValidity(validity, context)
    const conditional = encodeWaitingTransaction({ ...decodedForValidity(raw), validity })
    return accepted(await context.node.submit(conditional), context).hash
  },
})

export const eth_sendRawTransactionConditional = defineWritingMethod({
  name: 'eth_sendRawTransactionConditional',
  summary: 'Submits a signed transaction that is dropped unless its conditions on block and storage hold (op-geth).',
  profiles: ['op', 'denim'],
  params: [requiredParam('data', data), requiredParam('options', conditionalOptions)],
  result: hash.schema,
  cost: 20,
  runsTogether: true,
  async handle([raw, options], context) {
    assertSentByClient(raw, context)
    assertConditions(options, context)
    const validity = predicatesOf(options)
    const conditional = validity.length === 0 ? raw : encodeConditional(raw, { validity, mustStayValid: true })
    return accepted(await context.node.submit(conditional), context).hash
  },
})

export const eth_sendRawTransactionSync = defineWritingMethod({
  name: 'eth_sendRawTransactionSync',
  summary: 'Submits a signed transaction and returns its receipt once a flashblock includes it (EIP-7966).',
  params: [requiredParam('data', data), optionalParam('timeout', milliseconds)],
  result: RECEIPT_SCHEMA,
  runsOnLeaderWithCompat: true,
  cost: 20,
  runsTogether: true,
  handle: ([raw, timeout], context) =>
    context.inclusionWaits.run(async () => {
      assertTimeout(timeout, context)
      return awaitReceipt(await submitSigned(raw, context, { mustBeExecutable: true }), timeout, context)
    }),
})

export const eth_fillTransaction = defineMethod({
  name: 'eth_fillTransaction',
  // Otherwise unknown in dialect `base`, so that clients fill transactions themselves.
  dialect: 'ethereum',
  development: { conventions: GO_ETHEREUM, aliasOf: undefined },
  summary: 'An unsigned transaction with nonce, fees and gas filled in, for the client to sign.',
  params: [requiredParam('transaction', callObject)],
  result: { type: 'object', required: ['raw', 'tx'] },
  cost: 100,
  async handle([request], context) {
    const from = request.from ?? ZERO_ADDRESS
    const nonce = request.nonce ?? context.view.pendingNonce(from)
    const filled = await fillForClient({ ...request, from }, context.conventions, context)
    const call = withDefaults(filled, filled.gas)
    const transaction = simulatedTransaction(filled, call, nonce, context.config.chainId)
    if (transaction.type === DEPOSIT_TYPE) throw new Error('a deposit is never filled in')
    const { blockHash, blockNumber, blockTimestamp, transactionIndex, ...tx } = formatPooledTransaction(transaction)
    return { raw: bytesToHex(transaction.raw), tx }
  },
})
