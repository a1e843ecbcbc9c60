import { type ClientRequest, type IncomingMessage, request } from 'node:http'

/** A server-sent event. */
export interface ServerEvent {
  readonly id: string
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: the data is whatever the test expects.
  readonly data: any
}

/** A subscriber of server-sent events. */
export class EventReader {
  readonly status: number
  readonly response: IncomingMessage
  /** All received events, `ready` first. */
  readonly events: ServerEvent[] = []
  /** As an `EventSource` would send it back. */
  lastEventId = ''
  hasEnded = false
  readonly #request: ClientRequest
  #rest = ''
  #onNews: () => void = () => undefined

  private constructor(sent: ClientRequest, response: IncomingMessage) {
    this.#request = sent
    this.response = response
    this.status = response.statusCode!
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => this.#receive(chunk))
    const end = () => {
      this.hasEnded = true
      this.#onNews()
    }
    response.on('end', end)
    response.on('error', end)
  }

  /** @param lastEventId '' for none */
  static open(url: string, lastEventId = ''): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const headers = lastEventId === '' ? {} : { 'last-event-id': lastEventId }
      const sent = request(url, { headers, agent: false }, (response) => resolve(new EventReader(sent, response)))
      sent.on('error', reject)
      sent.end()
    })
  }

  /** Changes without `ready`. */
  get changes(): readonly ServerEvent['data'][] {
    return this.events.filter(({ name }) => name === 'message').map(({ data }) => data)
  }

  /** Resolves when the condition holds; rejects when the events have ended before. */
  async until(holds: (reader: this) => boolean): Promise<void> {
    while (!holds(this)) {
      if (this.hasEnded) throw new Error(`the events have ended: ${this.#rest}`)
      await new Promise<void>((resolve) => {
        this.#onNews = resolve
      })
    }
  }

  close(): void {
    this.#request.destroy()
  }

  #receive(chunk: string): void {
    const parts = (this.#rest + chunk).split('\n\n')
    this.#rest = parts.pop()!
    for (const part of parts) this.#take(part)
    this.#onNews()
  }

  /** https://html.spec.whatwg.org/multipage/server-sent-events.html, event stream interpretation. */
  #take(block: string): void {
    let [name, data] = ['message', '']
    for (const line of block.split('\n')) {
      const [, field, value] = /^([a-z]+): (.*)$/.exec(line) ?? []
      if (field === 'id') this.lastEventId = value!
      else if (field === 'event') name = value!
      else if (field === 'data') data = value!
    }
    if (data !== '') this.events.push({ id: this.lastEventId, name, data: JSON.parse(data) })
  }
}
