import { callMessage } from '../../engine/call/call-message.ts'
import type { CallSequence } from '../../engine/call/call-sequence.ts'
import type { StateOverrides } from '../../engine/call/state-overrides.ts'
import type { MayContinue, SessionOptions } from '../../engine/types.ts'
import { LATEST } from '../../node/view/block-reference.ts'
import type { BundledCalls, StateContext } from '../codecs/simulation/call-bundles.ts'
import type { ReadContext, State } from '../context/reading.ts'
import { callError, RPC_CODES, RpcError } from '../protocol/errors.ts'
import { callEnv, callSite, withDefaultSender } from './call-site.ts'
import { stateBefore } from './tracing.ts'

/** Bundles of calls, and the state on which the first one runs. */
export interface BundleSite extends Pick<SessionOptions, 'movedPrecompiles'> {
  readonly state: State
  readonly sequences: readonly CallSequence[]
}

/**
 * Resolves the state, environments and messages of bundled calls.
 *
 * @param stateOverrides of the state before the first bundle
 * @throws RpcError for too many calls, an unknown position, and a call that contradicts itself
 */
export async function bundleSite(
  context: ReadContext,
  bundles: readonly BundledCalls[],
  { blockNumber: reference = LATEST, transactionIndex = -1 }: StateContext,
  stateOverrides: StateOverrides | undefined,
  mayContinue: MayContinue | undefined,
): Promise<BundleSite> {
  // A bundle without calls takes time too.
  const calls = bundles.reduce((sum, { transactions = [] }) => sum + Math.max(transactions.length, 1), 0)
  assertCount(calls, 'calls', context.options.maxSimulatedCalls)
  const index = transactionIndex < 0 ? undefined : transactionIndex
  const within = await stateBefore(context, reference, index, mayContinue)
  const { header, state, movedPrecompiles } = callSite(context, {}, reference, stateOverrides, undefined, within)
  const sequences = bundles.map(({ transactions = [], blockOverride }): CallSequence => {
    const env = callEnv(context, header, {}, blockOverride)
    return { env, calls: transactions.map((call) => messageOf(withDefaultSender(call, context.options), env, context)) }
  })
  return { state, movedPrecompiles, sequences }
}

/** @throws RpcError for more than `most` */
export function assertCount(count: number, noun: string, most: number): void {
  if (count > most) throw new RpcError(RPC_CODES.invalidParams, `${count} ${noun}, want at most ${most}`)
}

/** @throws RpcError for a call that contradicts itself */
function messageOf(
  request: Parameters<typeof callMessage>[0],
  env: CallSequence['env'],
  { config, options }: ReadContext,
): CallSequence['calls'][number] {
  const message = callMessage(request, env, config.chainId, options.callGasCap)
  if (message.kind === 'message') return message.call
  throw callError({ kind: 'invalid', error: message.error, gasLimit: request.gas ?? options.callGasCap })
}
