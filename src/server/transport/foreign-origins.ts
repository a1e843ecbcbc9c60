/** Origins that are logged; pages of any number of others may try. */
const MAX_LOGGED = 8
const ORIGIN = /^https?:\/\/[\w.:[\]-]{1,200}$/

interface Deps {
  /** Absent: nothing is logged. */
  readonly warn: ((details: object, message: string) => void) | undefined
}

/**
 * Refusals of web pages whose origin is not allowed. Browsers hide the response from the page and mostly from its
 * developer, so the log says once for each origin which flag helps.
 */
export class ForeignOrigins {
  readonly #warn: Deps['warn']
  readonly #logged = new Set<string>()

  constructor({ warn }: Deps) {
    this.#warn = warn
  }

  /** Why the request of a page is refused, and what to do. */
  refuse(origin: string): string {
    // Another form is none that a browser sends for a page, and must not reach a command line.
    if (!ORIGIN.test(origin)) return 'the origin of this page is not in --cors-origins'
    const message = `pages of ${origin} may not use this node: start it with --cors-origins ${origin}`
    if (this.#logged.size < MAX_LOGGED && !this.#logged.has(origin)) {
      this.#logged.add(origin)
      this.#warn?.({ origin }, message)
    }
    return message
  }
}
