import type { LogMatch } from '../../chain/receipt/log-query.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { LogWriter } from '../format/log-json.ts'
import { EncodedJson } from '../protocol/encoded-json.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { LogChunk } from './memoized-chunks.ts'

/** Approximate bytes of the JSON of a log without its topics and data, and of a topic. */
const LOG_BYTES = 480
const TOPIC_BYTES = 69

/** Approximate bytes of the JSON of a log. */
export function approximateLogBytes({ log }: LogMatch): number {
  return LOG_BYTES + TOPIC_BYTES * log.topics.length + 2 * log.data.length
}

interface Options {
  readonly maxLogs: number
  readonly maxLogBytes: number
  /** First block of the query, for the advice in the error. */
  readonly from: number
}

/** Builds the JSON array of found logs, in the order of the chain, within bounds. */
export class LogResponse {
  readonly #options: Options
  readonly #write: LogWriter
  #count = 0
  #text = ''
  #bytes = 0

  constructor(options: Options, deps: { readonly write: LogWriter }) {
    this.#options = options
    this.#write = deps.write
  }

  /** Approximate bytes of the JSON so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** The array of log objects. */
  get json(): EncodedJson {
    return new EncodedJson('[', this.#text, ']')
  }

  /** @throws RpcError -32602 with the range that can be answered, when there are too many */
  add(found: LogMatch): void {
    const { maxLogs, maxLogBytes } = this.#options
    if (this.#count >= maxLogs) throw this.#refusal(`query exceeds max results ${maxLogs}`, found)
    this.#bytes += approximateLogBytes(found)
    if (this.#bytes > maxLogBytes) throw this.#refusal(`query exceeds max answer size of ${maxLogBytes} bytes`, found)
    // V8 keeps concatenated strings as a tree and flattens it once, when the response is sent.
    if (this.#count > 0) this.#text += ','
    this.#text += this.#write(found)
    this.#count += 1
  }

  /** @returns whether the chunk fits; otherwise `add` refuses the first log that does not */
  addChunk({ text, count, bytes }: LogChunk): boolean {
    const { maxLogs, maxLogBytes } = this.#options
    if (this.#count + count > maxLogs || this.#bytes + bytes > maxLogBytes) return false
    this.#bytes += bytes
    this.#text += this.#count > 0 ? `,${text}` : text
    this.#count += count
    return true
  }

  /** All logs before the block of the first excess log have been found. */
  #refusal(message: string, { blockNumber }: LogMatch): RpcError {
    const { from } = this.#options
    const advice =
      blockNumber > from
        ? `retry with the range ${toQuantity(from)}-${toQuantity(blockNumber - 1)}`
        : `retry with more criteria: block ${toQuantity(from)} alone has too many`
    return new RpcError(RPC_CODES.invalidParams, `${message}, ${advice}`)
  }
}
