import { TRANSACTION_GAS_CAP } from '../../chain/constants.ts'
import { forkAt } from '../../chain/forks/fork-schedule.ts'
import { transactionGasCap } from '../../chain/transaction/transaction-limits.ts'
import type { CallRequest } from '../../engine/call/call-message.ts'
import { callRequestError, smaller } from '../../engine/call/call-message.ts'
import { estimateGas, type GasEstimate } from '../../engine/call/estimate-gas.ts'
import { PENDING } from '../../node/view/block-reference.ts'
import type { View } from '../../node/view/view.ts'
import type { Address } from '../../primitives/hex.ts'
import type { NodeConventions } from '../compat/node-conventions.ts'
import type { ReadContext } from '../context/reading.ts'
import { callError, RPC_CODES, RpcError } from '../protocol/errors.ts'
import { callSite } from '../queries/call-site.ts'
import { reportedEstimate } from '../queries/report-call.ts'

/** A request to send, with everything but the nonce. */
export type FilledRequest = CallRequest & { readonly from: Address; readonly gas: bigint }

/** A request of a known sender. */
type SenderRequest = CallRequest & { readonly from: Address }

/**
 * Fills in fees and gas of a request that the node signs or sends, as the reproduced node does.
 *
 * @throws RpcError when members contradict each other, or go-ethereum's estimate fails
 */
export async function fillRequest(
  request: SenderRequest,
  conventions: NodeConventions,
  context: ReadContext,
): Promise<FilledRequest> {
  const filled = withFees(checkedRequest(request, conventions, context), conventions, context)
  return { ...filled, gas: request.gas ?? (await gasToSend(filled, conventions, context)) }
}

/**
 * Fills in a request that the client signs: gas is always an estimate, so that a client learns of a revert before it
 * sends, also with Anvil.
 *
 * @throws RpcError when members contradict each other, or the estimate fails
 */
export async function fillForClient(
  request: SenderRequest,
  conventions: NodeConventions,
  context: ReadContext,
): Promise<FilledRequest> {
  const filled = withFees(checkedRequest(request, conventions, context), conventions, context)
  if (request.gas !== undefined) return { ...filled, gas: request.gas }
  const site = callSite(await context.forecast(), filled, PENDING)
  const estimated = conventions.calls.pricesEstimates ? withGasPrice(filled, conventions, context) : filled
  const estimate = await reportedEstimate(context, 'eth_fillTransaction', estimated, site, conventions.sending.estimate)
  if (estimate.kind === 'estimated') return { ...filled, gas: estimate.gas }
  throw estimateError(estimate, context)
}

/** @throws RpcError when members contradict each other, whatever the state */
export function checkedRequest<T extends CallRequest>(
  request: T,
  conventions: NodeConventions,
  { config }: ReadContext,
): T {
  const checked: T =
    conventions.sending.prefersGasPrice && request.gasPrice !== undefined
      ? { ...request, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }
      : request
  const error = callRequestError(checked, config.chainId)
  if (error !== undefined) throw callError({ kind: 'invalid', error, gasLimit: request.gas ?? 0n })
  if (!conventions.sending.sendsEmptyCreations && request.to === undefined && (request.data?.length ?? 0) === 0) {
    const message = 'contract creation without any data provided'
    throw new RpcError(RPC_CODES.server, message, undefined, { kind: 'send', refusal: { code: 'EMPTY_CREATION' } })
  }
  return checked
}

/**
 * A request with the gas price that its transaction would have in the next block, instead of its fee caps, so that code
 * which pays by its gas price needs as much in an estimate.
 */
export function withGasPrice<T extends CallRequest>(request: T, conventions: NodeConventions, context: ReadContext): T {
  const { gasPrice, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = withFees(request, conventions, context)
  if (gasPrice !== undefined || maxPriorityFeePerGas > maxFeePerGas) return request
  const offered = smaller(maxFeePerGas, nextBaseFee(context.view) + maxPriorityFeePerGas)
  return { ...request, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined, gasPrice: offered }
}

/** Nonce-independent fees; a given gas price is kept. */
export function withFees<T extends CallRequest>(request: T, conventions: NodeConventions, context: ReadContext): T {
  if (request.gasPrice !== undefined) return request
  const { view, tips } = context
  const baseFee = nextBaseFee(view)
  const { maxPriorityFeePerGas: tip, maxFeePerGas: cap } = request
  const usualTip = conventions.sending.fixedTip ?? tips.suggest(view)
  const maxPriorityFeePerGas =
    tip ?? (conventions.sending.keepsTipWithinCap && cap !== undefined ? smaller(usualTip, cap) : usualTip)
  return {
    ...request,
    maxPriorityFeePerGas,
    maxFeePerGas: cap ?? conventions.sending.feeCap(baseFee, maxPriorityFeePerGas),
  }
}

function nextBaseFee(view: View): bigint {
  return view.head.pending.block.header.baseFeePerGas ?? 0n
}

async function gasToSend(request: SenderRequest, conventions: NodeConventions, context: ReadContext): Promise<bigint> {
  // The default of Hardhat's network option is the cap of EIP-7825, whatever the fork.
  if (conventions.sending.gas === 'most') return smaller(mostGas(context), TRANSACTION_GAS_CAP)
  const estimate = await estimateOf(request, conventions, context)
  if (estimate.kind === 'estimated') return estimate.gas
  if (conventions.sending.gas === 'most on failure' && estimate.kind !== 'invalid') return mostGas(context)
  throw estimateError(estimate, context)
}

async function estimateOf(
  request: SenderRequest,
  conventions: NodeConventions,
  context: ReadContext,
): Promise<GasEstimate> {
  const { engine, options, mayContinue } = context
  const { env, state } = callSite(await context.forecast(), request, PENDING)
  const { callGasCap: gasCap, estimateInnerGas: innerGas } = options
  return estimateGas(engine, env, state, request, { gasCap, innerGas, mayContinue, ...conventions.sending.estimate })
}

function estimateError(
  estimate: Exclude<GasEstimate, { readonly kind: 'estimated' }>,
  { options }: ReadContext,
): RpcError {
  return estimate.kind === 'invalid' ? callError({ ...estimate, gasLimit: options.callGasCap }) : callError(estimate)
}

/** The highest gas limit that a transaction may have in the next block. */
function mostGas({ view, config }: ReadContext): bigint {
  const { gasLimit, number, timestamp } = view.head.pending.block.header
  const cap = transactionGasCap(config, forkAt(config, number, timestamp))
  return cap === undefined ? gasLimit : smaller(gasLimit, cap)
}
