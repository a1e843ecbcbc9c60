/** Messages per batch. */
const MAX_MESSAGES = 256
/** Approximate bytes per batch: a larger one would block the receiving process. */
const MAX_MESSAGE_BYTES = 256 * 1024

export interface OutboxDeps<Message> {
  /**
   * Writes a message, or a batch of messages, to the pipe.
   *
   * @throws when something in it cannot be cloned
   */
  readonly write: (message: Message | readonly Message[], onSent: () => void) => void
  /** Called with a message that cannot be cloned; the others are sent without it. */
  readonly onUnsendable: (message: Message, error: unknown) => void
}

/**
 * Batches the messages of one round of the event loop: writing to a pipe and waking its reader costs more than the
 * content of a send, and a loaded node sends dozens of messages per round.
 */
export class Outbox<Message> {
  readonly #deps: OutboxDeps<Message>
  #messages: Message[] = []
  #bytes = 0
  /** Called when the batch is in the pipe. */
  #onSent: (() => void)[] = []
  #isScheduled = false

  constructor(deps: OutboxDeps<Message>) {
    this.#deps = deps
  }

  add(message: Message, onSent?: () => void): void {
    this.#messages.push(message)
    this.#bytes += bytesIn(message)
    if (onSent !== undefined) this.#onSent.push(onSent)
    if (this.#messages.length >= MAX_MESSAGES || this.#bytes >= MAX_MESSAGE_BYTES) this.flush()
    else this.#schedule()
  }

  /** Sends the batch now instead of at the end of the round. */
  flush(): void {
    const messages = this.#messages
    if (messages.length === 0) return
    const listeners = this.#empty()
    const onSent = () => {
      for (const listener of listeners) listener()
    }
    try {
      this.#deps.write(messages.length === 1 ? messages[0]! : messages, onSent)
    } catch (error) {
      try {
        if (messages.length === 1) this.#deps.onUnsendable(messages[0]!, error)
        else this.#sendEach(messages)
      } finally {
        onSent()
      }
    }
  }

  /** Drops the batch: the reader has exited. */
  discard(): void {
    for (const listener of this.#empty()) listener()
  }

  #empty(): readonly (() => void)[] {
    const listeners = this.#onSent
    this.#messages = []
    this.#bytes = 0
    this.#onSent = []
    return listeners
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.flush()
    })
  }

  #sendEach(messages: readonly Message[]): void {
    const unsendable: (readonly [message: Message, error: unknown])[] = []
    for (const message of messages) {
      try {
        this.#deps.write(message, () => undefined)
      } catch (error) {
        unsendable.push([message, error])
      }
    }
    // The callback may throw, so it runs after everything else is sent.
    for (const [message, error] of unsendable) this.#deps.onUnsendable(message, error)
  }
}

/** Approximate size: strings and bytes only, everything else is small. */
function bytesIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if (ArrayBuffer.isView(value)) return value.byteLength
  let bytes = 0
  for (const member of Array.isArray(value) ? value : Object.values(value)) bytes += bytesIn(member)
  return bytes
}
