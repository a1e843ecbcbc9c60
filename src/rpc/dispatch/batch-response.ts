import type { ResponseReservation } from './response-memory.ts'

/** The answers of a batch, in the order of its items. */
export class BatchResponse {
  /** V8 keeps what is appended as a tree, and copies it once, when the answer is sent. */
  #text = ''
  #size = 0
  /** Answers from the first one that is not there yet. */
  #late: (string | undefined | Promise<string | undefined>)[] = []
  readonly #assembly: ResponseReservation

  constructor(assembly: ResponseReservation) {
    this.#assembly = assembly
  }

  /** `undefined`: there is nothing to answer. */
  get text(): string | undefined {
    return this.#text === '' ? undefined : `[${this.#text}]`
  }

  /** Characters of those that are there. */
  get size(): number {
    return this.#size
  }

  get areLate(): boolean {
    return this.#late.length > 0
  }

  /** How many are not there yet, or behind one that is not. */
  get waiting(): number {
    return this.#late.length
  }

  /** @param answer `undefined`: to a notification */
  add(answer: string | undefined): void {
    if (this.areLate) this.#late.push(answer)
    else this.#append(answer)
  }

  /** An answer that need not be there before the next item begins; its failure is told by `settle`. */
  addLate(answer: Promise<string | undefined>): void {
    answer.catch(() => undefined)
    this.#late.push(answer)
  }

  /** Settles when all of them are there, with the first failure. */
  async settle(): Promise<void> {
    const late = this.#late
    this.#late = []
    // All of them even then: what is under way still needs what the batch holds.
    for (const settled of await Promise.allSettled(late)) {
      if (settled.status === 'rejected') throw settled.reason
      this.#append(settled.value)
    }
  }

  #append(answer: string | undefined): void {
    if (answer === undefined) return
    this.#text += this.#text === '' ? answer : `,${answer}`
    this.#size += answer.length
    this.#assembly.add(answer.length)
  }
}
