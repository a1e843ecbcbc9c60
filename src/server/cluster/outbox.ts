/** What one message holds at most. */
const MAX_LETTERS = 256
/** Bytes of one message, about: reading what is larger would be a long step of the other process. */
const MAX_MESSAGE_BYTES = 256 * 1024

export interface OutboxDeps<Letter> {
  /**
   * Puts a message into the pipe: one letter, or a list of them.
   *
   * @throws when something in it cannot be cloned
   */
  readonly write: (message: Letter | readonly Letter[], onSent: () => void) => void
  /** One that cannot be cloned: the others go without it. */
  readonly onUnsendable: (letter: Letter, error: unknown) => void
}

/**
 * Letters to another process, those of one round of the event loop in one message: putting one into a pipe and waking who reads
 * it costs more than all that a send says, and a node under load says dozens of things a round.
 */
export class Outbox<Letter> {
  readonly #deps: OutboxDeps<Letter>
  #letters: Letter[] = []
  #bytes = 0
  /** Called when the letters are in the pipe. */
  #onSent: (() => void)[] = []
  #isScheduled = false

  constructor(deps: OutboxDeps<Letter>) {
    this.#deps = deps
  }

  add(letter: Letter, onSent?: () => void): void {
    this.#letters.push(letter)
    this.#bytes += bytesIn(letter)
    if (onSent !== undefined) this.#onSent.push(onSent)
    if (this.#letters.length >= MAX_LETTERS || this.#bytes >= MAX_MESSAGE_BYTES) this.flush()
    else this.#schedule()
  }

  /** Now, rather than at the end of this round. */
  flush(): void {
    const letters = this.#letters
    if (letters.length === 0) return
    const listeners = this.#empty()
    const onSent = () => {
      for (const listener of listeners) listener()
    }
    try {
      this.#deps.write(letters.length === 1 ? letters[0]! : letters, onSent)
    } catch (error) {
      try {
        if (letters.length === 1) this.#deps.onUnsendable(letters[0]!, error)
        else this.#sendEach(letters)
      } finally {
        onSent()
      }
    }
  }

  /** Nobody is there to read: whoever waits until the letters are on their way waits no longer. */
  discard(): void {
    for (const listener of this.#empty()) listener()
  }

  #empty(): readonly (() => void)[] {
    const listeners = this.#onSent
    this.#letters = []
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

  #sendEach(letters: readonly Letter[]): void {
    const unsendable: (readonly [letter: Letter, error: unknown])[] = []
    for (const letter of letters) {
      try {
        this.#deps.write(letter, () => undefined)
      } catch (error) {
        unsendable.push([letter, error])
      }
    }
    // Whoever is told of it may throw: all that can be sent is on its way by then.
    for (const [letter, error] of unsendable) this.#deps.onUnsendable(letter, error)
  }
}

/** About, of texts and bytes: all else is small. */
function bytesIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if (ArrayBuffer.isView(value)) return value.byteLength
  let bytes = 0
  for (const member of Array.isArray(value) ? value : Object.values(value)) bytes += bytesIn(member)
  return bytes
}
