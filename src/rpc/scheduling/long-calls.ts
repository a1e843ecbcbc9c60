/** Calls that are remembered; the oldest are forgotten. */
const MAX_CALLS = 256
/** Hex characters of a selector, with the prefix. */
const SELECTOR_LENGTH = 10

/**
 * Remembers which calls used more than a slice, so that the next one of its kind runs on another thread at once and no
 * slice is wasted. A kind is a method, the called contract, and the selector of its function.
 */
export class LongCalls {
  readonly #kinds = new Set<string>()

  has(kind: string): boolean {
    return this.#kinds.has(kind)
  }

  /** Makes the kind the newest one. */
  add(kind: string): void {
    this.#kinds.delete(kind)
    this.#kinds.add(kind)
    if (this.#kinds.size <= MAX_CALLS) return
    const [oldest] = this.#kinds
    this.#kinds.delete(oldest!)
  }

  delete(kind: string): void {
    this.#kinds.delete(kind)
  }
}

/** The kind of a request whose first parameter is a call of a contract; `undefined` for others. */
export function kindOfCall(method: string, [call]: readonly unknown[]): string | undefined {
  if (typeof call !== 'object' || call === null) return undefined
  const { to, input, data = input } = call as Readonly<Record<string, unknown>>
  if (typeof to !== 'string' || to.length > 42) return undefined
  const selector = typeof data === 'string' ? data.slice(0, SELECTOR_LENGTH) : ''
  return `${method} ${to} ${selector}`
}
