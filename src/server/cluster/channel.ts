import type { SendHandle } from 'node:child_process'
import { Socket } from 'node:net'
import type { Clock } from '../../node/core/clock.ts'
import { PendingReplies } from '../../primitives/threads/pending-replies.ts'
import { Outbox } from './outbox.ts'

/** `process` in a child, or a `Worker` of `node:cluster` in its parent. */
export interface ProcessPort {
  send?(
    message: unknown,
    handle?: SendHandle,
    options?: { readonly keepOpen?: boolean },
    callback?: (error: Error | null) => void,
  ): boolean
  on(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown
  on(event: 'disconnect', listener: () => void): unknown
}

/** Requests of one side, by name: parameter and result. */
export type RequestTable<Table> = { readonly [Name in keyof Table]: readonly [question: unknown, answer: unknown] }

export type RequestHandlers<Table extends RequestTable<Table>> = {
  readonly [Name in keyof Table]: (question: Table[Name][0]) => Promise<Table[Name][1]>
}

interface Deps<Received, Handled extends RequestTable<Handled>> {
  readonly port: ProcessPort
  readonly answering: RequestHandlers<Handled>
  /** `handle`: a socket sent with the message. */
  readonly onMessage: (message: Received, handle: unknown) => void
  /** Timeout of a request. Absent: none, since the other process responds or exits. */
  readonly timeout?: { readonly clock: Pick<Clock, 'monotonic' | 'at'>; readonly milliseconds: number }
}

/** The other process has exited, or the request failed there. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
  /** Code of the error in the other process. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

type Envelope =
  | { readonly type: 'notify'; readonly message: unknown }
  | { readonly type: 'request'; readonly id: number; readonly name: PropertyKey; readonly question: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly response: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly reason: string; readonly code: string | undefined }

/** Typed messages and requests between two processes of the same release, in order. */
export class ProcessChannel<
  Sent,
  Requests extends RequestTable<Requests>,
  Received,
  Handled extends RequestTable<Handled>,
> {
  readonly #deps: Deps<Received, Handled>
  readonly #outbox: Outbox<Envelope>
  /** With their deadlines on the monotonic clock. */
  readonly #waiting = new PendingReplies<unknown, number>()
  #endAlarm: (() => void) | undefined
  #isClosed = false

  constructor(deps: Deps<Received, Handled>) {
    this.#deps = deps
    this.#outbox = new Outbox({
      write: (message, onSent) => this.#write(message, undefined, onSent),
      onUnsendable: (envelope, error) => this.#refuse(envelope, error),
    })
    deps.port.on('message', (message, handle) => {
      if (!Array.isArray(message)) this.#receive(message as Envelope, handle)
      else for (const envelope of message) this.#receive(envelope as Envelope, undefined)
    })
    deps.port.on('disconnect', () => this.close())
  }

  /** Requests in flight. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** @param handle of a connection, which stays open here until it is closed */
  notify(message: Sent, handle?: SendHandle, onSent?: () => void): void {
    this.#send({ type: 'notify', message }, handle, onSent)
  }

  /** @throws ChannelError */
  request<Name extends keyof Requests>(name: Name, question: Requests[Name][0]): Promise<Requests[Name][1]> {
    if (this.#isClosed) return Promise.reject(gone())
    const { timeout } = this.#deps
    const until = timeout === undefined ? Number.POSITIVE_INFINITY : timeout.clock.monotonic() + timeout.milliseconds
    const { id, reply } = this.#waiting.add(until)
    this.#setAlarm()
    this.#send({ type: 'request', id, name, question })
    return reply as Promise<Requests[Name][1]>
  }

  #receive(envelope: Envelope, handle: unknown): void {
    // Node may emit `disconnect` before messages that the process sent earlier.
    if (this.#isClosed) {
      if (handle instanceof Socket) handle.destroy()
      return
    }
    switch (envelope.type) {
      case 'notify':
        this.#deps.onMessage(envelope.message as Received, handle)
        break
      case 'request':
        void this.#response(envelope)
        break
      case 'answer':
        this.#waiting.resolve(envelope.id, envelope.response)
        break
      case 'failed':
        this.#waiting.reject(envelope.id, new ChannelError(envelope.reason, envelope.code))
    }
  }

  async #response({ id, name, question }: Extract<Envelope, { type: 'request' }>): Promise<void> {
    try {
      const response = await this.#deps.answering[name as keyof Handled](question as Handled[keyof Handled][0])
      this.#send({ type: 'answer', id, response })
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
      this.#send({ type: 'failed', id, reason: error instanceof Error ? error.message : String(error), code })
    }
  }

  /** One timer for all requests, set for the oldest: most responses arrive long before. */
  #setAlarm(): void {
    const { timeout } = this.#deps
    if (timeout === undefined || this.#endAlarm !== undefined) return
    const [oldest] = this.#waiting.entries()
    if (oldest === undefined) return
    this.#endAlarm = timeout.clock.at(oldest[1], () => {
      this.#endAlarm = undefined
      this.#rejectExpired(timeout.clock.monotonic())
      this.#setAlarm()
    })
  }

  /** Drops timed-out requests, which would otherwise accumulate while the other process hangs. */
  #rejectExpired(now: number): void {
    for (const [id, until] of this.#waiting.entries()) {
      if (until > now) return
      this.#waiting.reject(id, new ChannelError('the other process of the node did not answer in time'))
    }
  }

  /** Rejects all requests. Node does not always emit `disconnect`. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#endAlarm?.()
    this.#waiting.rejectAll(gone())
    this.#outbox.discard()
  }

  /** After closing nothing is sent, and all requests were rejected. */
  #send(envelope: Envelope, handle?: SendHandle, onSent?: () => void): void {
    if (this.#isClosed) onSent?.()
    else if (handle === undefined) this.#outbox.add(envelope, onSent)
    else {
      // A message carries at most one handle; earlier messages are sent first.
      this.#outbox.flush()
      this.#write(envelope, handle, onSent)
    }
  }

  /** The message cannot be cloned: its sender gets an error. */
  #refuse(envelope: Envelope, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    if (envelope.type === 'request') this.#waiting.reject(envelope.id, new ChannelError(reason))
    else if (envelope.type === 'answer') this.#send({ type: 'failed', id: envelope.id, reason, code: undefined })
    else throw error
  }

  #write(message: Envelope | readonly Envelope[], handle?: SendHandle, onSent: () => void = () => undefined): void {
    // Node does not close a handle in transit to a process that dies.
    this.#deps.port.send?.(message, handle, { keepOpen: true }, onSent)
  }
}

function gone(): ChannelError {
  return new ChannelError('the other process of the node has exited')
}
