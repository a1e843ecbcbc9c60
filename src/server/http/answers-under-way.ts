import type { Server, ServerResponse } from 'node:http'

/**
 * HTTP answers that were begun, so that their connections can end with them: a client that keeps its connection alive
 * would otherwise make the server's end take as long as it likes.
 */
export class AnswersUnderWay {
  readonly #server: Server
  readonly #answers = new Set<ServerResponse>()
  #isEnding = false

  constructor(server: Server) {
    this.#server = server
    // Before the handler, which may answer at once.
    server.prependListener('request', (_, response: ServerResponse) => this.#begin(response))
  }

  /** Every connection ends with the answer that is under way, idle ones now. */
  endConnections(): void {
    this.#isEnding = true
    for (const answer of this.#answers) endWith(answer)
    this.#server.closeIdleConnections()
  }

  #begin(answer: ServerResponse): void {
    this.#answers.add(answer)
    if (this.#isEnding) endWith(answer)
    answer.on('close', () => {
      this.#answers.delete(answer)
      if (this.#isEnding) this.#server.closeIdleConnections()
    })
  }
}

/** Says `Connection: close`, unless the headers are out. */
function endWith(answer: ServerResponse): void {
  if (!answer.headersSent) answer.setHeader('connection', 'close')
}
