import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Tracks responses in flight, so that their connections can close with them: a client that keeps its connection alive
 * would otherwise delay the shutdown.
 */
export class ResponsesInFlight {
  readonly #server: Server
  readonly #answers = new Set<ServerResponse>()
  readonly #bySocket = new WeakMap<Duplex, Set<ServerResponse>>()
  #isEnding = false

  constructor(server: Server) {
    this.#server = server
    // Before the handler, which may answer synchronously.
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
      this.#begin(request.socket, response),
    )
  }

  /** Closes each connection after its response in flight, idle ones now. */
  endConnections(): void {
    this.#isEnding = true
    for (const answer of this.#answers) endWith(answer)
    this.#server.closeIdleConnections()
  }

  /** Whether a connection waits for responses. */
  areOn(socket: Duplex): boolean {
    return (this.#bySocket.get(socket)?.size ?? 0) > 0
  }

  #begin(socket: Duplex, answer: ServerResponse): void {
    this.#answers.add(answer)
    const onSocket = this.#onSocket(socket)
    onSocket.add(answer)
    if (this.#isEnding) endWith(answer)
    answer.on('close', () => {
      this.#answers.delete(answer)
      onSocket.delete(answer)
      if (this.#isEnding) this.#server.closeIdleConnections()
    })
  }

  #onSocket(socket: Duplex): Set<ServerResponse> {
    const known = this.#bySocket.get(socket)
    if (known !== undefined) return known
    const answers = new Set<ServerResponse>()
    this.#bySocket.set(socket, answers)
    socket.once('close', () => abandon(answers))
    return answers
  }
}

/** Node emits `close` only for the first response of a connection: those queued behind it would wait for ever. */
function abandon(answers: ReadonlySet<ServerResponse>): void {
  for (const answer of answers) {
    const isBehind = answer.socket === null
    answer.destroy()
    if (isBehind) answer.emit('close')
  }
}

/** Sets `Connection: close`, unless the headers were sent. */
function endWith(answer: ServerResponse): void {
  if (!answer.headersSent) answer.setHeader('connection', 'close')
}
