/** What REST needs to know of a request, whatever it came by. */
export interface RestRequest {
  /** As it was sent: verbs are told apart by case (RFC 9110). */
  readonly method: string
  /** Path and query, escapes and all. */
  readonly target: string
  /** What logs name it by. */
  readonly id: string
  /** By its name in lower case. */
  header(name: string): string | undefined
}

/**
 * What is answered. Whatever sends it adds what every answer has: length, date, `x-request-id`, whether the connection goes
 * on. To HEAD it sends all of that but not the body.
 */
export interface RestAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** This very object answers further requests: what is made of it to be sent may be kept with it. */
  readonly isRepeated?: boolean
}

/** The REST interface (contract, part A). It answers every method and target, and never throws or rejects. */
export interface RestService {
  answer(request: RestRequest): RestAnswer | Promise<RestAnswer>
}
