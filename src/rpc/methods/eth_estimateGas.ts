import { estimateGas } from '../../engine/call/estimate-gas.ts'
import { LATEST, PENDING } from '../../node/core/block-reference.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { callSite } from '../call-site.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { callObject } from '../codecs/call-object.ts'
import { blockOverrides, stateOverrides } from '../codecs/overrides.ts'
import { quantity } from '../codecs/quantity.ts'
import { callError } from '../errors.ts'
import { EXAMPLE_CALL } from '../examples.ts'
import { defineMethod, optional, required } from '../method.ts'

export const eth_estimateGas = defineMethod({
  name: 'eth_estimateGas',
  summary: 'The gas limit with which a call succeeds; without a block, in the pending one, where it would run.',
  params: [
    required('call', callObject),
    optional('block', blockReference),
    optional('stateOverrides', stateOverrides),
    optional('blockOverrides', blockOverrides),
  ],
  result: quantity.schema,
  cost: 100,
  runsCode: true,
  example: { params: [EXAMPLE_CALL], result: '0x57e0' },
  async handle([request, reference, accounts, block], context) {
    const { engine, options, mayContinue } = context
    const where = reference ?? (options.dialect === 'ethereum' ? LATEST : PENDING)
    const { env, state, movedPrecompiles } = callSite(context, request, where, accounts, block)
    const gasCap = options.callGasCap
    const estimate = await estimateGas(engine, env, state, request, { gasCap, movedPrecompiles, mayContinue })
    if (estimate.kind === 'estimated') return toQuantity(estimate.gas)
    throw estimate.kind === 'invalid'
      ? callError({ ...estimate, gasLimit: request.gas ?? gasCap })
      : callError(estimate)
  },
})
