import type { LogMatch } from '../../chain/receipt/log-query.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { EncodedJson } from '../memoized/encoded-json.ts'
import type { LogWriter } from './log-json.ts'
import type { LogChunk } from './memoized-chunks.ts'

/** Bytes of a log's JSON besides its topics and data, about. */
const LOG_BYTES = 480
const TOPIC_BYTES = 69

/** Of the JSON. */
export function approximateLogBytes({ log }: LogMatch): number {
  return LOG_BYTES + TOPIC_BYTES * log.topics.length + 2 * log.data.length
}

interface Options {
  readonly maxLogs: number
  readonly maxLogBytes: number
  /** First block of the query, to tell a client what part of it can be answered. */
  readonly from: number
}

/** The logs that a query found, in the order of the chain. Bounded: an answer must not take the node's memory. */
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

  /** Of the JSON so far, about. */
  get bytes(): number {
    return this.#bytes
  }

  /** The array of log objects. */
  get json(): EncodedJson {
    return new EncodedJson(`[${this.#text}]`)
  }

  /** @throws RpcError -32602, which names the range that can be answered, when there are too many */
  add(found: LogMatch): void {
    const { maxLogs, maxLogBytes } = this.#options
    if (this.#count >= maxLogs) throw this.#refusal(`query exceeds max results ${maxLogs}`, found)
    this.#bytes += approximateLogBytes(found)
    if (this.#bytes > maxLogBytes) throw this.#refusal(`query exceeds max answer size of ${maxLogBytes} bytes`, found)
    // V8 keeps what is appended as a tree, and copies it once, when the answer is sent.
    if (this.#count > 0) this.#text += ','
    this.#text += this.#write(found)
    this.#count += 1
  }

  /** @returns whether they fit; else the first that does not is for `add` to refuse */
  addChunk({ text, count, bytes }: LogChunk): boolean {
    const { maxLogs, maxLogBytes } = this.#options
    if (this.#count + count > maxLogs || this.#bytes + bytes > maxLogBytes) return false
    this.#bytes += bytes
    this.#text += this.#count > 0 ? `,${text}` : text
    this.#count += count
    return true
  }

  /** Everything before the block of the log that is one too many has been found. */
  #refusal(message: string, { blockNumber }: LogMatch): RpcError {
    const { from } = this.#options
    const advice =
      blockNumber > from
        ? `retry with the range ${toQuantity(from)}-${toQuantity(blockNumber - 1)}`
        : `retry with more criteria: block ${toQuantity(from)} alone has too many`
    return new RpcError(RPC_CODES.invalidParams, `${message}, ${advice}`)
  }
}
