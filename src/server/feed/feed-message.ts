import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { type Mentions, mentionsOf } from '../../feed/feed-filter.ts'
import { flashblockMessage } from '../../feed/flashblock-message.ts'
import type { Bytes } from '../../primitives/hex.ts'
import type { Layer } from '../../state/layer.ts'

const compress = promisify(brotliCompress)
/** Compression parameters of flashblocks-websocket-proxy. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 22 } }

/** A message of the feed, encoded, compressed and filtered once for all subscribers. */
export class FeedMessage {
  readonly index: number
  /** JSON in UTF-8. Must not be modified. */
  readonly text: Bytes
  readonly layer: Layer
  #compressed: Promise<Bytes> | undefined
  #mentions: Mentions | undefined

  constructor(layer: Layer) {
    this.layer = layer
    this.index = layer.index
    this.text = Buffer.from(JSON.stringify(flashblockMessage(layer)))
  }

  /** The text in Brotli, compressed on another thread. */
  compressed(): Promise<Bytes> {
    this.#compressed ??= compress(this.text, BROTLI)
    return this.#compressed
  }

  get mentions(): Mentions {
    this.#mentions ??= mentionsOf(this.layer)
    return this.#mentions
  }
}

/** Bytes to send, shared by all subscribers. */
export interface FeedFrame {
  readonly message: FeedMessage
  readonly bytes: Bytes
  readonly isBinary: boolean
  /** Size in bytes. */
  readonly size: number
}
