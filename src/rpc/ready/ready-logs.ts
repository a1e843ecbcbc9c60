import type { FoundLog } from '../../chain/log-query.ts'
import { BoundedCache } from '../../primitives/bounded-cache.ts'
import type { Hash } from '../../primitives/hex.ts'
import { logText } from './log-text.ts'

/** Of one block, by position in it. */
interface WrittenLogs {
  readonly texts: (string | undefined)[]
  bytes: number
}

/** Hex takes a byte for each character; and what a string and its place in a list take. */
const STRING_BYTES = 32

/** JSON of the logs of sealed blocks, written once. */
export class ReadyLogs {
  readonly #written: BoundedCache<Hash, WrittenLogs>
  /** Logs come block by block. */
  #blockHash: Hash | undefined
  #ofBlock: WrittenLogs = { texts: [], bytes: 0 }

  /** @param options `maxBytes`: of the texts that are kept */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#written = new BoundedCache({ maxBytes })
  }

  /** The log object of a log in a sealed block. */
  text(found: FoundLog): string {
    const { blockHash, logIndex } = found
    if (blockHash !== this.#blockHash) {
      this.#blockHash = blockHash
      this.#ofBlock = this.#written.get(blockHash) ?? { texts: [], bytes: 0 }
    }
    const known = this.#ofBlock.texts[logIndex]
    if (known !== undefined) return known
    const text = logText(found)
    this.#ofBlock.texts[logIndex] = text
    this.#ofBlock.bytes += text.length + STRING_BYTES
    this.#written.set(blockHash, this.#ofBlock, this.#ofBlock.bytes)
    return text
  }
}
