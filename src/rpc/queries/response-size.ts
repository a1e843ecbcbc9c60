import type { Executed } from '../../engine/types.ts'
import type { ReadContext } from '../context/reading.ts'
import { minLogLength } from '../format/log-json.ts'
import { responseTooLarge } from '../protocol/errors.ts'

/** Characters of results that are encoded in a small part of a slice. */
const LARGE = 256 * 1024

/** Lower bound of the JSON of a request that executes many messages: it ends as soon as its response is too large. */
export class ResponseSize {
  readonly #context: Pick<ReadContext, 'options' | 'grown'>
  #characters = 0

  constructor(context: Pick<ReadContext, 'options' | 'grown'>) {
    this.#context = context
  }

  /** Whether the response has to be encoded in time slices. */
  get isLarge(): boolean {
    return this.#characters > LARGE
  }

  /** Adds the output and the logs of a message. @throws RpcError as `add` */
  addExecuted({ output, logs }: Pick<Executed, 'output' | 'logs'>): void {
    this.add(logs.reduce((sum, log) => sum + minLogLength(log), 2 * output.length))
  }

  /** @throws RpcError -32003 when the response is too large, -32005 when there is no memory for it */
  add(characters: number): void {
    const { options, grown } = this.#context
    this.#characters += characters
    if (this.#characters > options.maxResponseBytes) throw responseTooLarge(options.maxResponseBytes)
    if (this.isLarge) grown(this.#characters)
  }
}
