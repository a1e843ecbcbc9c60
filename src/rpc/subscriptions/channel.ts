import type { NodeEvents } from '../../node/view/events.ts'
import type { MemoizedBlocks } from '../memoized/memoized-blocks.ts'
import type { MethodResult } from '../protocol/encoded-json.ts'

interface ChannelOf<E extends keyof NodeEvents> {
  /** Channels of the same key have the same messages, so that each message is encoded once. */
  readonly key: string
  readonly event: E
  /** Addresses and topics of its criteria. */
  readonly criteria: number
  /** Messages of an event. */
  messages(event: NodeEvents[E][0], memoizedBlocks: MemoizedBlocks): Iterable<MethodResult>
  /** Messages that revoke those of unwound blocks, newest first. */
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
