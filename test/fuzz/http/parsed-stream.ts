/** The head of a request as a parser understands it. */
export interface ParsedHead {
  readonly method: string
  /** Path and query, or `*`. */
  readonly target: string
  /** Values by name in lower case; several are joined by a comma. */
  readonly headers: ReadonlyMap<string, string>
  readonly isLast: boolean
  readonly isWebSocketUpgrade: boolean
  /** As llhttp read it. */
  readonly version?: string
}

/** What a parser reads from the bytes of a connection. */
export interface ParsedStream {
  /** Heads, each followed by its body as Latin-1 text when it is complete. */
  readonly events: readonly (ParsedHead | string)[]
  /** Why the parser refuses the bytes behind the last event; `undefined`: it waits for more, or ignores them. */
  readonly refusal: string | undefined
  /** Whether bytes behind the last request of the connection were ignored. */
  readonly hasEnded: boolean
}
