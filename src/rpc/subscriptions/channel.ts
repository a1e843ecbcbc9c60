import type { NodeEvents } from '../../node/core/events.ts'
import type { Answer } from '../memoized/encoded-json.ts'
import type { ReadyBlocks } from '../memoized/memoized-blocks.ts'

interface ChannelOf<E extends keyof NodeEvents> {
  /** Channels of the same key say the same, so that each message is written once for all that listen. */
  readonly key: string
  readonly event: E
  /** Addresses and topics of its filter. */
  readonly criteria: number
  /** One item per message. */
  messages(event: NodeEvents[E][0], ready: ReadyBlocks): Iterable<Answer>
  /** What blocks that are gone had said before, newest first, where the subscription takes it back. */
  removals?(event: NodeEvents['unwound'][0]): Iterable<Answer>
}

/** What a subscription listens to. */
export type Channel = ChannelOf<'flashblock'> | ChannelOf<'sealed'> | ChannelOf<'pooled'>
