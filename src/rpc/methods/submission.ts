import { type CallRequest, withDefaults } from '../../engine/call/call-message.ts'
import { estimateGas } from '../../engine/call/estimate-gas.ts'
import { simulatedTransaction } from '../../engine/simulate/simulated-transaction.ts'
import { PENDING } from '../../node/core/block-reference.ts'
import { type Bytes, bytesToHex, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { data, hash } from '../codecs/bytes.ts'
import { callObject } from '../codecs/call-object.ts'
import { milliseconds } from '../codecs/small-numbers.ts'
import type { ReadContext, WriteContext } from '../context.ts'
import { callError, RPC_CODES, RpcError, submitError } from '../errors.ts'
import { formatPooledTransaction } from '../format/transaction.ts'
import type { EncodedJson } from '../memoized/encoded-json.ts'
import { callSite } from '../queries/call-site.ts'
import { awaitInclusion } from '../queries/inclusion.ts'
import {
  EXAMPLE_ACCOUNT,
  EXAMPLE_CALL,
  EXAMPLE_FILLED,
  EXAMPLE_RAW_TRANSACTION,
  EXAMPLE_SENT_HASH,
  EXAMPLE_SENT_RECEIPT,
} from '../registry/examples.ts'
import { defineMethod, defineWritingMethod, optionalParam, requiredParam } from '../registry/method.ts'
import { RECEIPT_SCHEMA } from '../registry/schemas.ts'

export const eth_sendRawTransaction = defineWritingMethod({
  name: 'eth_sendRawTransaction',
  summary: 'Submits a signed transaction to the pool, for the next flashblock. Returns its hash.',
  params: [requiredParam('data', data)],
  result: hash.schema,
  cost: 10,
  runsTogether: true,
  example: { params: [EXAMPLE_RAW_TRANSACTION], result: EXAMPLE_SENT_HASH },
  async handle([raw], { node, options }) {
    const result = await node.submit(raw)
    if (result.kind === 'refused') throw submitError(result.refusal, options.dialect)
    return result.transaction.hash
  },
})

export const eth_sendRawTransactionSync = defineWritingMethod({
  name: 'eth_sendRawTransactionSync',
  summary: 'Submits a signed transaction and returns its receipt once a flashblock includes it (EIP-7966).',
  params: [requiredParam('data', data), optionalParam('timeout', milliseconds)],
  result: RECEIPT_SCHEMA,
  cost: 20,
  runsTogether: true,
  example: {
    params: [EXAMPLE_RAW_TRANSACTION, 6000],
    result: EXAMPLE_SENT_RECEIPT,
  },
  handle: ([raw, timeout], context) => context.inclusionWaits.run(() => sendAndWait(raw, timeout, context)),
})

async function sendAndWait(
  raw: Bytes,
  timeout: number | undefined,
  { node, clock, memoizedBlocks, options }: WriteContext,
): Promise<EncodedJson> {
  const sent = await node.submit(raw)
  if (sent.kind === 'refused') throw submitError(sent.refusal, options.dialect)
  const { transaction } = sent
  // No await since the transaction was accepted, so that no event is missed.
  const wait = Math.min(timeout || options.syncTimeoutMs.default, options.syncTimeoutMs.max)
  const outcome = await awaitInclusion(transaction, wait, { node, clock })
  switch (outcome.kind) {
    case 'included': {
      const receipt = memoizedBlocks.receipt(outcome.found.block, outcome.found.index)
      // The client's next request may go to another worker, which has to show the receipt.
      await node.shownEverywhere?.(node.view().head.sequence)
      return receipt
    }
    case 'queued':
      throw new RpcError(
        RPC_CODES.notReady,
        'The transaction was added to the transaction pool but cannot run yet: expected nonce ' +
          `${outcome.expected}, tx nonce ${transaction.nonce}`,
        toQuantity(outcome.expected),
      )
    case 'dropped':
      throw new RpcError(
        RPC_CODES.server,
        'The transaction was added to the transaction pool but left it without being processed',
        transaction.hash,
      )
    case 'timeout':
      throw new RpcError(
        RPC_CODES.timeout,
        `The transaction was added to the transaction pool but wasn't processed in ${wait / 1000}s`,
        transaction.hash,
      )
  }
}

export const eth_fillTransaction = defineMethod({
  name: 'eth_fillTransaction',
  // Unknown in dialect `base`, so that clients fill transactions themselves.
  dialect: 'ethereum',
  summary: 'An unsigned transaction with nonce, fees and gas filled in, for the client to sign.',
  params: [requiredParam('transaction', callObject)],
  result: { type: 'object', required: ['raw', 'tx'] },
  cost: 100,
  example: { params: [{ ...EXAMPLE_CALL, from: EXAMPLE_ACCOUNT }], result: EXAMPLE_FILLED },
  async handle([request], context) {
    const { config } = context
    const filled = withFees(withNonce(request, context), context)
    const gas = filled.gas ?? (await estimated(filled, context))
    const call = withDefaults(filled, gas)
    const transaction = simulatedTransaction(filled, call, call.nonce ?? 0n, config.chainId)
    if (transaction.type === 0x7e) throw new Error('a deposit is never filled in')
    const { blockHash, blockNumber, blockTimestamp, transactionIndex, ...tx } = formatPooledTransaction(transaction)
    return { raw: bytesToHex(transaction.raw), tx }
  },
})

function withNonce(request: CallRequest, { view }: ReadContext): CallRequest {
  return { ...request, nonce: request.nonce ?? view.pendingNonce(request.from ?? ZERO_ADDRESS) }
}

/** Twice the base fee and the suggested tip, as in go-ethereum; a given gas price is kept. */
function withFees(request: CallRequest, { view, tips }: ReadContext): CallRequest {
  if (request.gasPrice !== undefined) return request
  const maxPriorityFeePerGas = request.maxPriorityFeePerGas ?? tips.suggest(view)
  const baseFee = view.head.pending.block.header.baseFeePerGas ?? 0n
  return { ...request, maxPriorityFeePerGas, maxFeePerGas: request.maxFeePerGas ?? maxPriorityFeePerGas + 2n * baseFee }
}

async function estimated(request: CallRequest, context: ReadContext): Promise<bigint> {
  const { engine, options } = context
  const { env, state } = callSite(context, request, PENDING)
  const estimate = await estimateGas(engine, env, state, request, { gasCap: options.callGasCap })
  if (estimate.kind === 'estimated') return estimate.gas
  throw estimate.kind === 'invalid' ? callError({ ...estimate, gasLimit: options.callGasCap }) : callError(estimate)
}
