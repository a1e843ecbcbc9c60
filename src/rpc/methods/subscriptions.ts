import type { Hex } from '../../primitives/hex.ts'
import { boolean } from '../codecs/boolean.ts'
import { text } from '../codecs/text.ts'
import type { FilterContext } from '../context/filtering.ts'
import { watchedLogs } from '../filters/filter-range.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { defineWritingMethod, optionalParam, requiredParam } from '../registry/method.ts'
import { SUBSCRIPTIONS, withoutFlashblocks } from '../subscriptions/channels.ts'
import {
  checkOptions,
  optionsInDialect,
  type SubscriptionOptions,
  subscriptionOptions,
} from '../subscriptions/subscription-options.ts'

export const eth_subscribe = defineWritingMethod({
  name: 'eth_subscribe',
  effect: 'client',
  summary: 'Subscribes to events of a kind, such as newHeads, logs, transactionReceipts or newFlashblocks.',
  params: [requiredParam('kind', text), optionalParam('options', subscriptionOptions)],
  result: { type: 'string', title: 'subscription id' },
  cost: 5,
  handle([kind, written], context) {
    const {
      subscriptions,
      conventions,
      config,
      options: { dialect },
    } = context
    if (subscriptions === undefined && !conventions.logs.subscribesWithoutConnection) throw noNotifications()
    const subscription = SUBSCRIPTIONS.get(kind)
    if (subscription === undefined) {
      throw new RpcError(RPC_CODES.methodNotFound, `no "${kind.slice(0, 100)}" subscription in eth namespace`)
    }
    if (written !== undefined) checkOptions(kind, written, subscription.uses)
    if (subscriptions === undefined) return subscribeAsFilter(kind, written, context)
    const channel = subscription.channel(written && optionsInDialect(written, dialect))
    return subscriptions.open(config.layer2?.denim === undefined ? channel : withoutFlashblocks(channel, config))
  },
})

export const eth_unsubscribe = defineWritingMethod({
  name: 'eth_unsubscribe',
  effect: 'client',
  summary:
    'Ends a subscription of this connection. An unknown subscription is an error; with --compat the result is false.',
  params: [requiredParam('subscriptionId', text)],
  result: boolean.schema,
  cost: 1,
  handle([id], { subscriptions, filters, conventions }) {
    if (subscriptions === undefined && !conventions.logs.subscribesWithoutConnection) throw noNotifications()
    const existed = subscriptions === undefined ? filters.close(id) : subscriptions.close(id)
    if (!existed && !conventions.logs.isAbsentSubscriptionFalse)
      throw new RpcError(RPC_CODES.server, 'subscription not found')
    return existed
  },
})

/** A subscription of a client that cannot be notified, as Hardhat has it: a filter, which the client may poll. */
function subscribeAsFilter(kind: string, written: SubscriptionOptions | undefined, context: FilterContext): Hex {
  const { filters, client, view, options, conventions } = context
  if (kind === 'newPendingTransactions') return filters.watchTransactions(false, client)
  if (kind === 'newHeads') return filters.watchBlocks(client, view, { includesLatest: false })
  if (kind !== 'logs') throw noNotifications()
  const criteria = written?.kind === 'object' ? written.criteria : undefined
  const { addresses, topics } = criteria ?? { addresses: [], topics: [] }
  const filter = { addresses, topics, fromBlock: undefined, toBlock: undefined, blockHash: undefined }
  return filters.watchLogs(watchedLogs(filter, options.dialect, conventions.logs), client, view)
}

function noNotifications(): RpcError {
  return new RpcError(RPC_CODES.methodNotFound, 'notifications not supported')
}
