import type { LogMatch } from '../../chain/receipt/log-query.ts'
import { BoundedCache } from '../../primitives/bounded-cache.ts'
import type { Hash } from '../../primitives/hex.ts'
import { blockLogWriter, type LogWriter } from './log-json.ts'
import { MemoizedLogChunks } from './memoized-chunks.ts'

/** Of one block, by position in it. */
interface WrittenLogs {
  readonly write: LogWriter
  readonly texts: (string | undefined)[]
  bytes: number
}

/** Hex takes a byte for each character; and what a string and its place in a list take, and what a block takes besides. */
const STRING_BYTES = 32
const BLOCK_BYTES = 600

/** JSON of the logs of sealed blocks, written once. */
export class MemoizedLogs {
  /** Of whole stretches of blocks, by what they were asked for with. */
  readonly chunks: MemoizedLogChunks
  readonly #maxBytes: number
  readonly #written: BoundedCache<Hash, WrittenLogs>
  /** Logs come block by block. */
  #blockHash: Hash | undefined
  #ofBlock: WrittenLogs | undefined

  /** @param options `maxBytes`: of the texts that are kept, one by one, and as much again in stretches */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes
    this.#written = new BoundedCache({ maxBytes })
    this.chunks = new MemoizedLogChunks({ maxBytes })
  }

  /** The log object of a log in a sealed block. */
  text(found: LogMatch): string {
    const { blockHash, logIndex } = found
    let ofBlock = this.#ofBlock
    if (ofBlock === undefined || blockHash !== this.#blockHash) {
      ofBlock = this.#written.get(blockHash) ?? { write: blockLogWriter(found), texts: [], bytes: BLOCK_BYTES }
      this.#blockHash = blockHash
      this.#ofBlock = ofBlock
    }
    const known = ofBlock.texts[logIndex]
    if (known !== undefined) return known
    const text = ofBlock.write(found)
    const bytes = ofBlock.bytes + text.length + STRING_BYTES
    // No more than the bound of a single block either.
    if (bytes > this.#maxBytes) return text
    ofBlock.texts[logIndex] = text
    ofBlock.bytes = bytes
    this.#written.set(blockHash, ofBlock, ofBlock.bytes)
    return text
  }
}
