import { boolean } from '../codecs/boolean.ts'
import { text } from '../codecs/text.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { defineWritingMethod, optionalParam, requiredParam } from '../registry/method.ts'
import { SUBSCRIPTIONS, withoutFlashblocks } from '../subscriptions/channels.ts'
import { checkOptions, optionsInDialect, subscriptionOptions } from '../subscriptions/subscription-options.ts'

export const eth_subscribe = defineWritingMethod({
  name: 'eth_subscribe',
  summary: 'Subscribes to events of a kind, such as newHeads, logs, transactionReceipts or newFlashblocks.',
  params: [requiredParam('kind', text), optionalParam('options', subscriptionOptions)],
  result: { type: 'string', title: 'subscription id' },
  cost: 5,
  handle([kind, written], { subscriptions, config, options: { dialect } }) {
    if (subscriptions === undefined) throw new RpcError(RPC_CODES.methodNotFound, 'notifications not supported')
    const subscription = SUBSCRIPTIONS.get(kind)
    if (subscription === undefined) {
      throw new RpcError(RPC_CODES.methodNotFound, `no "${kind.slice(0, 100)}" subscription in eth namespace`)
    }
    if (written !== undefined) checkOptions(kind, written, subscription.uses)
    const channel = subscription.channel(written && optionsInDialect(written, dialect))
    return subscriptions.open(config.layer2?.denim === undefined ? channel : withoutFlashblocks(channel, config))
  },
})

export const eth_unsubscribe = defineWritingMethod({
  name: 'eth_unsubscribe',
  summary:
    'Ends a subscription of this connection. An unknown subscription is an error; with --compat the result is false.',
  params: [requiredParam('subscriptionId', text)],
  result: boolean.schema,
  cost: 1,
  handle([id], { subscriptions, peer }) {
    if (subscriptions === undefined) throw new RpcError(RPC_CODES.methodNotFound, 'notifications not supported')
    const existed = subscriptions.close(id)
    if (!existed && !peer.logs.isAbsentSubscriptionFalse) throw new RpcError(RPC_CODES.server, 'subscription not found')
    return existed
  },
})
