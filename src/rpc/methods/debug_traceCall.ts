import { callMessage } from '../../engine/call/call-message.ts'
import { stateWithin } from '../../engine/trace/trace-block.ts'
import { traceCall } from '../../engine/trace/trace-call.ts'
import { type BlockReference, LATEST } from '../../node/core/block-reference.ts'
import { callSite } from '../call-site.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { callObject } from '../codecs/call-object.ts'
import { traceCallConfig } from '../codecs/trace-config.ts'
import { blockAndState, type ReadContext, type State } from '../context.ts'
import { traceText } from '../encode/trace.ts'
import { callError, RPC_CODES, RpcError } from '../errors.ts'
import { defineMethod, optional, optionalWith, required } from '../method.ts'
import { ReadyJson } from '../ready/ready-json.ts'
import { TRACE_SCHEMA } from '../schemas.ts'
import { replayOf, tracing } from '../tracing.ts'

export const debug_traceCall = defineMethod({
  name: 'debug_traceCall',
  summary: 'What a call does that runs as `eth_call` would run it, or before a transaction of the block (`txIndex`).',
  params: [
    required('call', callObject),
    optionalWith('block', blockReference, LATEST),
    optional('config', traceCallConfig),
  ],
  result: TRACE_SCHEMA,
  takesLong: true,
  cost: 100,
  example: {
    params: [{ to: '0x0000000000000000000000000000000000000000' }, 'latest'],
    result: { gas: 21_000, failed: false, returnValue: '0x', structLogs: [] },
  },
  handle([request, reference, config], context) {
    const { engine, options } = context
    const invalid = (error: Parameters<typeof callError>[0] & { kind: 'invalid' }) => {
      const { code, message } = callError(error)
      return new RpcError(code, `tracing failed: ${message}`)
    }
    return tracing(context, config, async (traceOptions) => {
      const state = await stateBefore(context, reference, config?.txIndex, traceOptions.mayContinue)
      const site = callSite(context, request, reference, config?.stateOverrides, config?.blockOverrides, state)
      const message = callMessage(request, site.env, context.config.chainId, options.callGasCap)
      const gasLimit = request.gas ?? options.callGasCap
      if (message.kind === 'invalid') throw invalid({ kind: 'invalid', error: message.error, gasLimit })
      const traced = await traceCall(engine, message.call, { ...site, env: message.env }, traceOptions)
      if (traced.kind === 'invalid') throw invalid({ kind: 'invalid', error: traced.error, gasLimit })
      return new ReadyJson(await traceText(traced.trace, context.turn))
    })
  },
})

/** The state before a transaction of the block; `undefined` when it is to be the state after the block. */
async function stateBefore(
  context: ReadContext,
  reference: BlockReference,
  index: number | undefined,
  mayContinue: Parameters<typeof stateWithin>[3],
): Promise<State | undefined> {
  if (index === undefined) return undefined
  const { block } = blockAndState(context, reference).block
  const count = block.transactions.length
  if (index >= count) {
    throw new RpcError(RPC_CODES.server, `transaction index ${index} out of range: the block has ${count}`)
  }
  return stateWithin(context.engine, replayOf(context, block), index, mayContinue)
}
