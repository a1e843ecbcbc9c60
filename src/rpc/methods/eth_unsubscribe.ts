import { boolean } from '../codecs/boolean.ts'
import { text } from '../codecs/text.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { EXAMPLE_FILTER_ID } from '../examples.ts'
import { defineWritingMethod, required } from '../method.ts'

export const eth_unsubscribe = defineWritingMethod({
  name: 'eth_unsubscribe',
  summary: 'Ends a subscription of this connection.',
  params: [required('subscriptionId', text)],
  result: boolean.schema,
  cost: 1,
  example: { params: [EXAMPLE_FILTER_ID], result: true },
  handle([id], { subscriptions }) {
    if (subscriptions === undefined) throw new RpcError(RPC_CODES.methodNotFound, 'notifications not supported')
    if (!subscriptions.close(id)) throw new RpcError(RPC_CODES.server, 'subscription not found')
    return true
  },
})
