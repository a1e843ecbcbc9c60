import type { StreamMessage } from '../node/log/record-source.ts'
import type { LogRecord } from '../storage/segment-frame.ts'

interface Waiting {
  readonly message:
    | Exclude<StreamMessage, { kind: 'records' }>
    | { readonly kind: 'records'; readonly records: LogRecord[] }
  bytes: number
}

/** Unread messages of a source; queued records are read as one batch. */
export class MessageQueue {
  readonly #maxBytes: number
  readonly #messages: Waiting[] = []
  #bytes = 0
  #failure: Error | undefined
  #wakeTaker: () => void = () => undefined
  #wakeGiver: () => void = () => undefined

  /** @param maxBytes queued bytes above which the source should pause */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes
  }

  get isFull(): boolean {
    return this.#bytes >= this.#maxBytes
  }

  add(message: StreamMessage, bytes: number): void {
    if (this.#failure !== undefined) return
    const last = this.#messages.at(-1)
    // Applying and syncing records together lets a lagging replica catch up sooner.
    if (last !== undefined && message.kind === 'records' && last.message.kind === 'records') {
      for (const record of message.records) last.message.records.push(record)
      last.bytes += bytes
    } else {
      const waiting = message.kind === 'records' ? { ...message, records: [...message.records] } : message
      this.#messages.push({ message: waiting, bytes })
    }
    this.#bytes += bytes
    this.#wakeTaker()
  }

  /** Resolves when there is room for more. */
  async room(): Promise<void> {
    while (this.isFull && this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#wakeGiver = resolve
      })
    }
  }

  /** Earlier messages can still be read. */
  fail(failure: Error): void {
    this.#failure ??= failure
    this.#wakeTaker()
    this.#wakeGiver()
  }

  async next(): Promise<StreamMessage> {
    for (;;) {
      const first = this.#messages.shift()
      if (first !== undefined) {
        this.#bytes -= first.bytes
        this.#wakeGiver()
        return first.message
      }
      if (this.#failure !== undefined) throw this.#failure
      await new Promise<void>((resolve) => {
        this.#wakeTaker = resolve
      })
    }
  }
}
