import { type CallRequest, callMessage } from '../../engine/call/call-message.ts'
import { createAccessList } from '../../engine/call/create-access-list.ts'
import type { Executed, Result, Session } from '../../engine/types.ts'
import { LATEST, PENDING } from '../../node/view/block-reference.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { accessList as accessListCodec } from '../codecs/access-list.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { data } from '../codecs/bytes.ts'
import { callObject } from '../codecs/call-object.ts'
import { blockOverrides, stateOverrides } from '../codecs/overrides.ts'
import { quantity } from '../codecs/quantity.ts'
import { text } from '../codecs/text.ts'
import { encodedBytes, type MethodResult } from '../protocol/encoded-json.ts'
import type { EntryFailure } from '../protocol/error-reason.ts'
import { callError, executionTimeout } from '../protocol/errors.ts'
import { callSite, withDefaultSender } from '../queries/call-site.ts'
import { reportCall, reportedEstimate, usedConsole } from '../queries/report-call.ts'
import { defaultedParam, defineMethod, optionalParam, requiredParam } from '../registry/method.ts'
import { withGasPrice } from '../sending/fill-request.ts'

export const eth_call = defineMethod({
  name: 'eth_call',
  summary: 'Runs a call on the state of a block and in its environment, `pending` included, and keeps nothing.',
  params: [
    requiredParam('call', callObject),
    defaultedParam('block', blockReference, LATEST),
    optionalParam('stateOverrides', stateOverrides),
    optionalParam('blockOverrides', blockOverrides),
  ],
  result: data.schema,
  cost: 20,
  runsCode: true,
  handle([given, reference, accounts, block], context) {
    const { engine, config, options, conventions } = context
    const sent = withDefaultSender(given, options)
    const request = conventions.calls.capsFeeAtTip ? withFeeCap(sent) : sent
    // Lazy: most calls end before they pause.
    const mayContinue = () => context.mayContinue()
    const site = callSite(context, request, reference, accounts, block)
    const message = callMessage(request, site.env, config.chainId, options.callGasCap)
    if (message.kind === 'invalid') {
      throw callError({ kind: 'invalid', error: message.error, gasLimit: request.gas ?? options.callGasCap })
    }
    const { movedPrecompiles } = site
    const session = engine.open(message.env, site.state, { movedPrecompiles, mayContinue, withoutLogs: true })
    const end = (result: Result): MaybePromise<MethodResult> => {
      if (context.onCall !== undefined && isReported(result, session)) return report(result)
      return respond(result)
    }
    const report = async (result: Result) => {
      // Traced in another session.
      const position = { ...site, env: message.env }
      const reported = reportCall(context, 'eth_call', message.call, position)
      return respond(result, await reported.catch((error) => abandon(session, error)))
    }
    const respond = (result: Result, entry?: EntryFailure) => {
      try {
        const output = outputOf(result, message.call.gasLimit, entry)
        // Reverted, so that the next call on this state reuses what was read.
        session.revert()
        return encodedBytes(output)
      } finally {
        session.close()
      }
    }
    session.checkpoint()
    const running = session.call(message.call, conventions.calls.checks)
    return running instanceof Promise ? running.then(end, (error) => abandon(session, error)) : end(running)
  },
})

/** Whether developers are shown the call. */
function isReported(result: Result, session: Session): boolean {
  return result.kind === 'executed' && (result.status !== 'success' || usedConsole(session))
}

function withFeeCap(request: CallRequest): CallRequest {
  const { maxPriorityFeePerGas, maxFeePerGas = maxPriorityFeePerGas } = request
  return maxFeePerGas === request.maxFeePerGas ? request : { ...request, maxFeePerGas }
}

function abandon(session: Session, error: unknown): never {
  session.close()
  throw error
}

/** @throws RpcError when the call is invalid or fails */
function outputOf(result: Result, gasLimit: bigint, entry?: EntryFailure) {
  if (result.kind === 'invalid') throw callError({ kind: 'invalid', error: result.error, gasLimit })
  if (result.status === 'revert') throw callError({ kind: 'reverted', output: result.output, entry })
  if (result.status === 'halt') throw callError({ kind: 'halted', reason: result.halt ?? 'out of gas' })
  return result.output
}

export const eth_estimateGas = defineMethod({
  name: 'eth_estimateGas',
  summary: 'The gas limit with which a call succeeds; without a block, in the pending one, where it would run.',
  params: [
    requiredParam('call', callObject),
    optionalParam('block', blockReference),
    optionalParam('stateOverrides', stateOverrides),
    optionalParam('blockOverrides', blockOverrides),
  ],
  result: quantity.schema,
  cost: 100,
  runsCode: true,
  async handle([call, reference, accounts, block], given) {
    const { conventions } = given
    const sent = withDefaultSender(call, given.options)
    const capped = conventions.calls.capsFeeAtTip ? withFeeCap(sent) : sent
    const request = conventions.calls.pricesEstimates ? withGasPrice(capped, conventions, given) : capped
    const where = reference ?? (given.options.dialect === 'ethereum' ? LATEST : PENDING)
    const context = where === PENDING ? await given.forecast() : given
    const site = callSite(context, request, where, accounts, block)
    const estimate = await reportedEstimate(context, 'eth_estimateGas', request, site, {
      checks: conventions.calls.checks,
      ...conventions.calls.estimate,
    })
    if (estimate.kind === 'estimated') return toQuantity(estimate.gas)
    throw estimate.kind === 'invalid'
      ? callError({ ...estimate, gasLimit: request.gas ?? context.options.callGasCap })
      : callError(estimate)
  },
})

export const eth_createAccessList = defineMethod({
  name: 'eth_createAccessList',
  summary:
    'The access list with which a call looks at nothing cold, and the gas it uses then; without a block, pending.',
  params: [
    requiredParam('call', callObject),
    defaultedParam('block', blockReference, PENDING),
    optionalParam('stateOverrides', stateOverrides),
    optionalParam('blockOverrides', blockOverrides),
  ],
  result: {
    type: 'object',
    properties: { accessList: accessListCodec.schema, gasUsed: quantity.schema, error: text.schema },
    required: ['accessList', 'gasUsed'],
  },
  cost: 100,
  runsCode: true,
  async handle([call, reference, accounts, block], context) {
    const { engine, options, conventions, mayContinue } = context
    const request = withDefaultSender(call, options)
    const { env, state, movedPrecompiles } = callSite(context, request, reference, accounts, block)
    const created = await createAccessList(engine, env, state, request, {
      gasCap: options.callGasCap,
      movedPrecompiles,
      mayContinue,
    })
    switch (created.kind) {
      case 'created':
        if (conventions.calls.refusesFailedAccessLists) outputOf(created.executed, request.gas ?? options.callGasCap)
        return {
          accessList: accessListCodec.encode(created.accessList),
          error: failureOf(created.executed),
          gasUsed: toQuantity(created.executed.gasUsed),
        }
      case 'invalid':
        throw callError({ ...created, gasLimit: request.gas ?? options.callGasCap })
      case 'timedOut':
        throw executionTimeout(options.callTimeoutMs)
    }
  },
})

/** go-ethereum's message; the list has the accesses so far. */
function failureOf({ status, halt }: Executed): string | undefined {
  if (status === 'revert') return 'execution reverted'
  return status === 'halt' ? (halt ?? 'out of gas') : undefined
}
