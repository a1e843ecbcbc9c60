import { hash } from '../../codecs/bytes.ts'
import { callObject } from '../../codecs/call-object.ts'
import { quantity, quantity64 } from '../../codecs/quantity.ts'
import { milliseconds } from '../../codecs/small-numbers.ts'
import { defineDevelopmentMethod } from '../../registry/development-method.ts'
import { optionalParam, requiredParam } from '../../registry/method.ts'
import { RECEIPT_SCHEMA } from '../../schemas/schemas.ts'
import { awaitReceipt } from '../../sending/await-receipt.ts'
import { throwMinedFailure } from '../../sending/mined-failure.ts'
import { resendTransaction } from '../../sending/resend-transaction.ts'
import { sendTransaction, sendUnsigned } from '../../sending/send-transaction.ts'

export const eth_sendTransaction = defineDevelopmentMethod({
  name: 'eth_sendTransaction',
  // Otherwise unknown in dialect `base`, so that clients sign locally instead of asking the node.
  dialect: 'ethereum',
  summary: 'Fills in, signs and submits a transaction of an account that the node has the key of or impersonates.',
  params: [requiredParam('transaction', callObject)],
  result: hash.schema,
  cost: 100,
  async handle([request], call) {
    const transaction = await sendTransaction(request, call)
    await throwMinedFailure(transaction, call.conventions, call.context)
    return transaction.hash
  },
})

export const eth_resend = defineDevelopmentMethod({
  name: 'eth_resend',
  summary: 'Replaces a transaction of the pool by the same one with another gas price or gas limit.',
  params: [
    requiredParam('transaction', callObject),
    optionalParam('gasPrice', quantity),
    optionalParam('gas', quantity64),
  ],
  result: hash.schema,
  cost: 100,
  handle: async ([request, gasPrice, gas], call) => (await resendTransaction(request, { gasPrice, gas }, call)).hash,
})

export const eth_sendTransactionSync = defineDevelopmentMethod({
  name: 'eth_sendTransactionSync',
  summary: 'As eth_sendTransaction, and returns the receipt once a flashblock includes the transaction.',
  params: [requiredParam('transaction', callObject), optionalParam('timeout', milliseconds)],
  result: RECEIPT_SCHEMA,
  cost: 100,
  handle: ([request, timeout], call) =>
    call.context.inclusionWaits.run(async () =>
      awaitReceipt(await sendTransaction(request, call, { mustBeExecutable: true }), timeout, call.context),
    ),
})

export const eth_sendUnsignedTransaction = defineDevelopmentMethod({
  name: 'eth_sendUnsignedTransaction',
  summary: 'Submits a transaction of any account, without a key and without impersonating it first.',
  params: [requiredParam('transaction', callObject)],
  result: hash.schema,
  cost: 100,
  async handle([request], call) {
    const transaction = await sendUnsigned(request, call)
    await throwMinedFailure(transaction, call.conventions, call.context)
    return transaction.hash
  },
})
