import { blockEnv } from '../../../engine/block/block-env.ts'
import { callMessage } from '../../../engine/call/call-message.ts'
import { type CallPosition, type TracedMessage, traceMessages } from '../../../engine/trace/trace-call.ts'
import { LATEST, PENDING } from '../../../node/view/block-reference.ts'
import { blockReference } from '../../codecs/block-reference.ts'
import { data } from '../../codecs/bytes.ts'
import { callObject } from '../../codecs/call-object.ts'
import { blockOverrides, stateOverrides } from '../../codecs/overrides.ts'
import { type TracedCall, tracedCalls, traceTypes } from '../../codecs/traces/parity-trace.ts'
import { type ReadContext, requireHeaderAndState } from '../../context/reading.ts'
import { traceJson } from '../../format/traces/trace.ts'
import { EncodedJson, encodedArray } from '../../protocol/encoded-json.ts'
import { callError } from '../../protocol/errors.ts'
import { callSite } from '../../queries/call-site.ts'
import { decodedTransaction } from '../../queries/decoded-transaction.ts'
import { parityTracer } from '../../queries/parity-tracing.ts'
import { tracing } from '../../queries/tracing.ts'
import { defaultedParam, defineMethod, optionalParam, requiredParam } from '../../registry/method.ts'
import { TRACE_RESULTS_SCHEMA } from '../../schemas/explorer-schemas.ts'
import { arrayOf } from '../../schemas/schemas.ts'

export const trace_call = defineMethod({
  name: 'trace_call',
  summary: 'Traces a call as `eth_call` runs it: its frames, state changes and instructions, as requested.',
  params: [
    requiredParam('call', callObject),
    requiredParam('traceTypes', traceTypes),
    defaultedParam('block', blockReference, LATEST),
    optionalParam('stateOverrides', stateOverrides),
    optionalParam('blockOverrides', blockOverrides),
  ],
  result: TRACE_RESULTS_SCHEMA,
  takesLong: true,
  cost: 100,
  async handle([request, types, reference, accounts, block], context) {
    const site = callSite(context, request, reference, accounts, block)
    const { position, messages } = tracedMessages(context, site, [{ request, types }])
    const [text] = await traceTexts(context, position, messages)
    return new EncodedJson(text!)
  },
})

export const trace_callMany = defineMethod({
  name: 'trace_callMany',
  summary: 'Traces calls, each on the state after those before it.',
  params: [requiredParam('calls', tracedCalls), defaultedParam('block', blockReference, LATEST)],
  result: arrayOf(TRACE_RESULTS_SCHEMA),
  takesLong: true,
  cost: 200,
  async handle([calls, reference], context) {
    const site = callSite(context, calls[0]?.request ?? {}, reference)
    const { position, messages } = tracedMessages(context, site, calls)
    return encodedArray(await traceTexts(context, position, messages))
  },
})

export const trace_rawTransaction = defineMethod({
  name: 'trace_rawTransaction',
  summary: 'Traces a signed transaction without sending it; without a block, after the pre-confirmed ones.',
  params: [
    requiredParam('data', data),
    requiredParam('traceTypes', traceTypes),
    defaultedParam('block', blockReference, PENDING),
  ],
  result: TRACE_RESULTS_SCHEMA,
  takesLong: true,
  cost: 100,
  async handle([raw, types, reference], context) {
    const transaction = decodedTransaction(raw)
    const { header, state } = requireHeaderAndState(context, reference)
    const position = { env: blockEnv(header, context.config), state }
    const [text] = await traceTexts(context, position, [{ transaction, tracer: parityTracer(types) }])
    return new EncodedJson(text!)
  },
})

/** The messages of calls. As for `eth_call`, the first one decides whether they see a blob base fee. */
function tracedMessages(
  { config, options }: ReadContext,
  site: CallPosition,
  calls: readonly TracedCall[],
): { readonly position: CallPosition; readonly messages: readonly TracedMessage[] } {
  let { env } = site
  const messages = calls.map(({ request, types }, index) => {
    const message = callMessage(request, site.env, config.chainId, options.callGasCap)
    if (message.kind === 'invalid') {
      throw callError({ kind: 'invalid', error: message.error, gasLimit: request.gas ?? options.callGasCap })
    }
    if (index === 0) env = message.env
    return { call: message.call, tracer: parityTracer(types) }
  })
  return { position: { ...site, env }, messages }
}

/**
 * The results of messages, encoded.
 *
 * @throws RpcError at the first invalid message
 */
function traceTexts(
  context: ReadContext,
  position: CallPosition,
  messages: readonly TracedMessage[],
): Promise<readonly string[]> {
  return tracing(context, undefined, async (options) => {
    const texts: string[] = []
    for (const traced of await traceMessages(context.engine, messages, position, options)) {
      if (traced.kind === 'invalid') {
        const failed = messages[texts.length]!
        const { gasLimit } = 'call' in failed ? failed.call : failed.transaction
        throw callError({ kind: 'invalid', error: traced.error, gasLimit })
      }
      texts.push(await traceJson(traced.trace, context.yieldIfDue))
    }
    return texts
  })
}
