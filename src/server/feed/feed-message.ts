import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { type Mentions, mentionsOf } from '../../feed/feed-filter.ts'
import { flashblockMessage } from '../../feed/flashblock-message.ts'
import type { Bytes } from '../../primitives/hex.ts'
import type { Layer } from '../../state/layer.ts'

const compress = promisify(brotliCompress)
/** As the field's proxy compresses (spec-facts 6.2). */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 22 } }

/** A flashblock's message: written, compressed and looked through once, however many are told. */
export class FeedMessage {
  readonly index: number
  /** JSON in UTF-8; nobody may change it. */
  readonly text: Bytes
  readonly #layer: Layer
  #compressed: Promise<Bytes> | undefined
  #mentions: Mentions | undefined

  constructor(layer: Layer) {
    this.#layer = layer
    this.index = layer.index
    this.text = Buffer.from(JSON.stringify(flashblockMessage(layer)))
  }

  /** The text in Brotli, made in another thread. */
  compressed(): Promise<Bytes> {
    this.#compressed ??= compress(this.text, BROTLI)
    return this.#compressed
  }

  get mentions(): Mentions {
    this.#mentions ??= mentionsOf(this.#layer)
    return this.#mentions
  }
}

/** What goes over a subscriber's wire: the same bytes for all. */
export interface FeedFrame {
  readonly message: FeedMessage
  readonly bytes: Bytes
  readonly isBinary: boolean
  /** Bytes. */
  readonly size: number
}
