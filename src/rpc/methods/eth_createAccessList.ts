import { createAccessList } from '../../engine/call/create-access-list.ts'
import type { Executed } from '../../engine/types.ts'
import { PENDING } from '../../node/core/block-reference.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { callSite } from '../call-site.ts'
import { accessList as accessListCodec } from '../codecs/access-list.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { callObject } from '../codecs/call-object.ts'
import { blockOverrides, stateOverrides } from '../codecs/overrides.ts'
import { quantity } from '../codecs/quantity.ts'
import { text } from '../codecs/text.ts'
import { callError, executionTimeout } from '../errors.ts'
import { EXAMPLE_CONTRACT } from '../examples.ts'
import { defineMethod, optional, optionalWith, required } from '../method.ts'

export const eth_createAccessList = defineMethod({
  name: 'eth_createAccessList',
  summary:
    'The access list with which a call looks at nothing cold, and the gas it uses then; without a block, pending.',
  params: [
    required('call', callObject),
    optionalWith('block', blockReference, PENDING),
    optional('stateOverrides', stateOverrides),
    optional('blockOverrides', blockOverrides),
  ],
  result: {
    type: 'object',
    properties: { accessList: accessListCodec.schema, gasUsed: quantity.schema, error: text.schema },
    required: ['accessList', 'gasUsed'],
  },
  cost: 100,
  runsCode: true,
  example: {
    params: [{ to: EXAMPLE_CONTRACT }, 'latest', { [EXAMPLE_CONTRACT]: { code: '0x5f5400' } }],
    result: {
      accessList: [
        {
          address: EXAMPLE_CONTRACT,
          storageKeys: ['0x0000000000000000000000000000000000000000000000000000000000000000'],
        },
      ],
      gasUsed: '0x633a',
    },
  },
  async handle([request, reference, accounts, block], context) {
    const { engine, options, mayContinue } = context
    const { env, state, movedPrecompiles } = callSite(context, request, reference, accounts, block)
    const created = await createAccessList(engine, env, state, request, {
      gasCap: options.callGasCap,
      movedPrecompiles,
      mayContinue,
    })
    switch (created.kind) {
      case 'created':
        return {
          accessList: accessListCodec.encode(created.accessList),
          error: failureOf(created.executed),
          gasUsed: toQuantity(created.executed.gasUsed),
        }
      case 'invalid':
        throw callError({ ...created, gasLimit: request.gas ?? options.callGasCap })
      case 'timedOut':
        throw executionTimeout(options.callTimeout)
    }
  },
})

/** go-ethereum's words; the list is of what was looked at until then. */
function failureOf({ status, halt }: Executed): string | undefined {
  if (status === 'revert') return 'execution reverted'
  return status === 'halt' ? (halt ?? 'out of gas') : undefined
}
