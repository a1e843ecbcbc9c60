import type { NodeEvents } from '../../node/core/events.ts'
import type { MethodResult } from '../memoized/encoded-json.ts'
import type { MemoizedBlocks } from '../memoized/memoized-blocks.ts'

interface ChannelOf<E extends keyof NodeEvents> {
  /** Channels of the same key say the same, so that each message is written once for all that listen. */
  readonly key: string
  readonly event: E
  /** Addresses and topics of its filter. */
  readonly criteria: number
  /** One item per message. */
  messages(event: NodeEvents[E][0], memoizedBlocks: MemoizedBlocks): Iterable<MethodResult>
  /** What blocks that are gone had said before, newest first, where the subscription takes it back. */
  removals?(event: NodeEvents['unwound'][0]): Iterable<MethodResult>
}

/** Source of a subscription's messages. */
export type SubscriptionChannel = EventChannel | ConstantChannel

/** A channel whose only message is sent when a client subscribes. */
export interface ConstantChannel {
  readonly key: string
  readonly event: undefined
  readonly criteria: 0
  readonly message: MethodResult
}

export type EventChannel = ChannelOf<'flashblock'> | ChannelOf<'sealed'> | ChannelOf<'pooled'>
