import { EventEmitter } from 'node:events'
import { deserialize, serialize } from 'node:v8'
import type { SimulatedNetwork } from './network.ts'
import type { Random } from './random.ts'
import type { Actor, Scheduler } from './scheduler.ts'
import { AcceptedConnection } from './simulated-port.ts'
import type { Trace } from './trace.ts'

/** Median of the time that a message takes, in milliseconds. */
const LATENCY_MS = 0.1
/** The survivor notices the death of the other process within this time, in milliseconds. */
const MAX_NOTICE_MS = 5

type Sent = (error: Error | null) => void

interface Message {
  readonly bytes: Buffer
  readonly connection: AcceptedConnection | undefined
  readonly sentMs: number
  readonly due: number
}

export interface PipeDeps {
  readonly scheduler: Scheduler
  readonly network: SimulatedNetwork
  readonly trace: Trace
  readonly random: Random
}

/** One end of the pipe between a process and one that it has forked: the part of IPC of Node that the sources use. */
export class PipeEnd extends EventEmitter {
  readonly #process: Actor
  readonly #deps: PipeDeps
  #other: PipeEnd | undefined
  readonly #incoming: Message[] = []
  #lastDue = 0
  #isReceiving = false
  #isDisconnected = false

  constructor(process: Actor, deps: PipeDeps) {
    super()
    this.#process = process
    this.#deps = deps
  }

  /** @returns the ends of a pipe */
  static between(parent: Actor, child: Actor, deps: PipeDeps): readonly [parent: PipeEnd, child: PipeEnd] {
    const ends = [new PipeEnd(parent, deps), new PipeEnd(child, deps)] as const
    ends[0].#other = ends[1]
    ends[1].#other = ends[0]
    return ends
  }

  /** @throws Error when the message cannot be cloned */
  send(message: unknown, handle?: unknown, _options?: object, onSent: Sent = () => undefined): boolean {
    const bytes = serialize(message)
    const other = this.#other!
    const { scheduler, random } = this.#deps
    if (this.#isDisconnected || !other.#process.isAlive) {
      scheduler.after(0, this.#process, 'channel closed', () => onSent(new Error('channel closed')))
      return false
    }
    // The receiving process holds the connection from now on, as a descriptor passed over IPC does.
    const connection = handle instanceof AcceptedConnection ? handle : undefined
    connection?.end.giveTo(other.#process)
    const due = Math.max(other.#lastDue, scheduler.now + random.delay(LATENCY_MS))
    other.#lastDue = due
    other.#incoming.push({ bytes, connection, sentMs: scheduler.now, due })
    other.#receiveNext()
    scheduler.after(random.delay(LATENCY_MS), this.#process, 'message sent', () => onSent(null))
    return true
  }

  /** The other process is dead: messages that it sent earlier may arrive before this is noticed, or afterwards. */
  disconnect(): void {
    const { scheduler, random } = this.#deps
    scheduler.after(random.between(0, MAX_NOTICE_MS), this.#process, 'disconnect', () => {
      this.#isDisconnected = true
      this.emit('disconnect')
    })
  }

  #receiveNext(): void {
    const [next] = this.#incoming
    if (this.#isReceiving || next === undefined) return
    this.#isReceiving = true
    const { scheduler, trace } = this.#deps
    scheduler.after(next.due - scheduler.now, this.#process, 'receive message', () => {
      this.#isReceiving = false
      const { bytes, connection, sentMs } = this.#incoming.shift()!
      const message: unknown = deserialize(bytes)
      trace.message(this.#other!.#process.name, this.#process.name, sentMs, Buffer.from(textOf(message)))
      this.emit('message', message, connection && new AcceptedConnection(connection.end, this.#process))
      this.#receiveNext()
    })
  }
}

/** Equal for equal messages, as the bytes are not: V8 writes a number as it happens to hold it. */
function textOf(message: unknown): string {
  return JSON.stringify(message, function (this: Record<string, unknown>, key, value: unknown) {
    // `value` is already the result of `Buffer.toJSON`.
    const held = this[key]
    if (held instanceof Uint8Array) return Buffer.from(held).toString('latin1')
    return typeof value === 'bigint' ? value.toString() : value
  })
}
