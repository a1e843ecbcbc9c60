import { type CallRequest, withDefaults } from '../../engine/call/call-message.ts'
import { estimateGas } from '../../engine/call/estimate-gas.ts'
import { simulatedTransaction } from '../../engine/simulate/simulated-transaction.ts'
import { PENDING } from '../../node/core/block-reference.ts'
import { bytesToHex, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { callSite } from '../call-site.ts'
import { callObject } from '../codecs/call-object.ts'
import type { ReadContext } from '../context.ts'
import { encodePooledTransaction } from '../encode/transaction.ts'
import { callError } from '../errors.ts'
import { EXAMPLE_ACCOUNT, EXAMPLE_CALL, EXAMPLE_FILLED } from '../examples.ts'
import { defineMethod, required } from '../method.ts'

export const eth_fillTransaction = defineMethod({
  name: 'eth_fillTransaction',
  // Otherwise unknown: clients then do for themselves what the node cannot do for them.
  dialect: 'ethereum',
  summary: 'A transaction with all that was left out: nonce, fees, gas; unsigned, to be signed by whoever asked.',
  params: [required('transaction', callObject)],
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
    const { blockHash, blockNumber, blockTimestamp, transactionIndex, ...tx } = encodePooledTransaction(transaction)
    return { raw: bytesToHex(transaction.raw), tx }
  },
})

function withNonce(request: CallRequest, { view }: ReadContext): CallRequest {
  return { ...request, nonce: request.nonce ?? view.pendingNonce(request.from ?? ZERO_ADDRESS) }
}

/** Twice the base fee and the usual tip, as go-ethereum has it; a gas price stays alone. */
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
