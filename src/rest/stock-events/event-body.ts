import type { Address } from '../../primitives/hex.ts'
import type { BodyStream } from '../http/rest-service.ts'
import type { ChangeWindow } from './change-window.ts'

interface Options {
  /** The first frame of the window to send. */
  readonly frame: number
  /** Id of the position before it, if one is known. */
  readonly id: string | undefined
  /** Data of the event `ready`, with which the body begins. */
  readonly ready: object
  /** Only changes of these tokens; empty: of all. */
  readonly tokens: ReadonlySet<Address>
}

interface Deps {
  readonly window: ChangeWindow
  readonly onClosed: (body: EventBody) => void
}

/** Characters that are read at once. */
const CHUNK = 32 * 1024
/** Milliseconds after which a client whose connection ended connects again. */
const RETRY_MS = 1_000

/** Server-sent events of one subscriber: a place in the window, so that slow subscribers use no memory. */
export class EventBody implements BodyStream {
  readonly #tokens: ReadonlySet<Address>
  readonly #deps: Deps
  #frame: number
  /** Text that precedes the next frame. */
  #before: string
  #hasEnded = false
  #onReadable: () => void = () => undefined

  constructor({ frame, id, ready, tokens }: Options, deps: Deps) {
    this.#frame = frame
    this.#tokens = tokens
    this.#deps = deps
    this.#before = `retry: ${RETRY_MS}\n${idLine(id)}event: ready\ndata: ${JSON.stringify(ready)}\n\n`
  }

  read(): string | undefined {
    const { window } = this.#deps
    // A subscriber that the window has overtaken continues with another request, whose response says to begin anew.
    if (this.#hasEnded || this.#frame < window.start) return undefined
    let text = this.#before
    this.#before = ''
    while (this.#frame < window.end && text.length < CHUNK) {
      const frame = window.frame(this.#frame)!
      this.#frame += 1
      if (this.#tokens.size === 0 || this.#tokens.has(frame.token)) text += frame.text
    }
    return text
  }

  onReadable(listener: () => void): void {
    this.#onReadable = listener
  }

  close(): void {
    this.#hasEnded = true
    this.#deps.onClosed(this)
  }

  /** There are new frames. */
  wake(): void {
    this.#onReadable()
  }

  /**
   * Sends a comment, so that proxies keep the connection, and the newest position, so that a subscriber without events
   * does not fall out of the window.
   */
  keepAlive(): void {
    const { window } = this.#deps
    if (this.#frame < window.end || this.#before !== '') return
    this.#before = `: still here\n${idLine(window.newestId)}\n`
    this.wake()
  }

  /** Ends the body; the client connects again with its last id. */
  end(): void {
    this.#hasEnded = true
    this.wake()
  }
}

function idLine(id: string | undefined): string {
  return id === undefined ? '' : `id: ${id}\n`
}
