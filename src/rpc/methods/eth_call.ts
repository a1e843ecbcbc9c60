import { CALL_CHECKS, callMessage } from '../../engine/call/call-message.ts'
import type { Result, Session } from '../../engine/types.ts'
import { LATEST } from '../../node/core/block-reference.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { callSite } from '../call-site.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { data } from '../codecs/bytes.ts'
import { callObject } from '../codecs/call-object.ts'
import { blockOverrides, stateOverrides } from '../codecs/overrides.ts'
import { callError } from '../errors.ts'
import { EXAMPLE_CALL } from '../examples.ts'
import { defineMethod, optional, optionalWith, required } from '../method.ts'

export const eth_call = defineMethod({
  name: 'eth_call',
  summary: 'Runs a call on the state of a block and in its environment, `pending` included, and keeps nothing.',
  params: [
    required('call', callObject),
    optionalWith('block', blockReference, LATEST),
    optional('stateOverrides', stateOverrides),
    optional('blockOverrides', blockOverrides),
  ],
  result: data.schema,
  cost: 20,
  runsCode: true,
  example: { params: [EXAMPLE_CALL, 'pending'], result: '0x' },
  handle([request, reference, accounts, block], context) {
    const { engine, config, options } = context
    // Most end before they pause for the first time.
    const mayContinue = () => context.mayContinue()
    const site = callSite(context, request, reference, accounts, block)
    const message = callMessage(request, site.env, config.chainId, options.callGasCap)
    if (message.kind === 'invalid') {
      throw callError({ kind: 'invalid', error: message.error, gasLimit: request.gas ?? options.callGasCap })
    }
    const { movedPrecompiles } = site
    const session = engine.open(message.env, site.state, { movedPrecompiles, mayContinue, withoutLogs: true })
    const end = (result: Result) => {
      try {
        const output = outputOf(result, message.call.gasLimit)
        // Taken back, so that the next call on this state goes on with what was read.
        session.revert()
        return bytesToHex(output)
      } finally {
        session.close()
      }
    }
    session.checkpoint()
    const running = session.call(message.call, CALL_CHECKS)
    return running instanceof Promise ? running.then(end, (error) => abandon(session, error)) : end(running)
  },
})

function abandon(session: Session, error: unknown): never {
  session.close()
  throw error
}

function outputOf(result: Result, gasLimit: bigint) {
  if (result.kind === 'invalid') throw callError({ kind: 'invalid', error: result.error, gasLimit })
  if (result.status === 'revert') throw callError({ kind: 'reverted', output: result.output })
  if (result.status === 'halt') throw callError({ kind: 'halted', reason: result.halt ?? 'out of gas' })
  return result.output
}
