import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { LogMatch } from '../../chain/receipt/log-query.ts'
import { BoundedCache } from '../../primitives/bounded-cache.ts'
import type { Hash } from '../../primitives/hex.ts'
import { blockLogWriter, type LogWriter, timedLog } from '../format/log-json.ts'
import { MemoizedLogChunks } from './memoized-chunks.ts'

/** Encoded logs of one block, by position. */
interface WrittenLogs {
  readonly write: LogWriter
  readonly texts: (string | undefined)[]
  bytes: number
}

/** A hex character takes a byte. A string and its array element, and a block, take this in addition. */
const STRING_BYTES = 32
const BLOCK_BYTES = 600

/** Memoized JSON of the logs of sealed blocks. */
export class MemoizedLogs {
  /** Chunks of blocks, by query. */
  readonly chunks: MemoizedLogChunks
  readonly #maxBytes: number
  readonly #chain: Pick<ChainConfig, 'layer2'>
  readonly #written: BoundedCache<Hash, WrittenLogs>
  /** Last used block: logs are requested block by block. */
  #blockHash: Hash | undefined
  #ofBlock: WrittenLogs | undefined

  /**
   * @param options.maxBytes of the single logs, and as much again of the chunks
   * @param options.chain for the milliseconds of blocks. Default: one without
   */
  constructor({ maxBytes, chain = {} }: { readonly maxBytes: number; readonly chain?: Pick<ChainConfig, 'layer2'> }) {
    this.#chain = chain
    this.#maxBytes = maxBytes
    this.#written = new BoundedCache({ maxBytes })
    this.chunks = new MemoizedLogChunks({ maxBytes })
  }

  /** The JSON of a log in a sealed block. */
  text(found: LogMatch): string {
    const { blockHash, logIndex } = found
    let ofBlock = this.#ofBlock
    if (ofBlock === undefined || blockHash !== this.#blockHash) {
      ofBlock = this.#written.get(blockHash) ?? {
        write: blockLogWriter(timedLog(found, this.#chain)),
        texts: [],
        bytes: BLOCK_BYTES,
      }
      this.#blockHash = blockHash
      this.#ofBlock = ofBlock
    }
    const existing = ofBlock.texts[logIndex]
    if (existing !== undefined) return existing
    const text = ofBlock.write(found)
    const bytes = ofBlock.bytes + text.length + STRING_BYTES
    // One block must not exceed the bound on its own.
    if (bytes > this.#maxBytes) return text
    ofBlock.texts[logIndex] = text
    ofBlock.bytes = bytes
    this.#written.set(blockHash, ofBlock, ofBlock.bytes)
    return text
  }
}
