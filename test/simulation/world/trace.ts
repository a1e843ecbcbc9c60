import { createHash, type Hash } from 'node:crypto'

/** One entry of the timeline. */
export interface TraceEntry {
  /** Number of the effect that it belongs to. */
  readonly step: number
  readonly timeMs: number
  /** The process or the part of the world. */
  readonly actor: string
  readonly text: string
}

/** A message that arrived. */
export interface TracedMessage {
  readonly from: string
  readonly to: string
  readonly sentMs: number
  readonly arrivedMs: number
  readonly bytes: number
}

interface TraceListeners {
  /** Receives the timeline. */
  readonly onEntry?: ((entry: TraceEntry) => void) | undefined
  readonly onMessage?: ((message: TracedMessage) => void) | undefined
}

/** Everything that a simulation does, as a hash, and its notable events as a timeline. */
export class Trace {
  readonly #hash: Hash = createHash('sha256')
  readonly #listeners: TraceListeners
  step = 0
  timeMs = 0

  /** @param listeners Default: nothing is written */
  constructor(listeners: TraceListeners = {}) {
    this.#listeners = listeners
  }

  /** Begins an effect. */
  effect(timeMs: number, actor: string, label: string): void {
    this.step += 1
    this.timeMs = timeMs
    this.#hash.update(`${timeMs} ${actor} ${label}\n`)
  }

  /** Adds a text to the hash and to the timeline. */
  note(actor: string, text: string | (() => string)): void {
    const written = typeof text === 'string' ? text : text()
    this.#hash.update(`${actor}: ${written}\n`)
    this.#listeners.onEntry?.({ step: this.step, timeMs: this.timeMs, actor, text: written })
  }

  /** Adds bytes to the hash. */
  content(bytes: Uint8Array | string): void {
    this.#hash.update(bytes)
  }

  /** A message with content arrives. */
  message(from: string, to: string, sentMs: number, content: Uint8Array): void {
    this.content(content)
    this.#listeners.onMessage?.({ from, to, sentMs, arrivedMs: this.timeMs, bytes: content.length })
  }

  /** Hash of everything so far. */
  get digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 32)
  }
}

/** A line of the timeline. */
export function timelineLine({ step, timeMs, actor, text }: TraceEntry): string {
  return `${String(step).padStart(7)} ${(timeMs / 1000).toFixed(4).padStart(10)} ${actor.padEnd(12)} ${text}`
}
