import type { SendHandle } from 'node:child_process'
import { Socket } from 'node:net'
import type { Clock } from '../../node/core/clock.ts'
import { Outbox } from './outbox.ts'

/** `process` in a child, and a `Worker` of `node:cluster` in its parent. */
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

/** What one side asks the other, by name: the question and its answer. */
export type RequestTable<Table> = { readonly [Name in keyof Table]: readonly [question: unknown, answer: unknown] }

export type RequestHandlers<Table extends RequestTable<Table>> = {
  readonly [Name in keyof Table]: (question: Table[Name][0]) => Promise<Table[Name][1]>
}

interface Deps<Received, Handled extends RequestTable<Handled>> {
  readonly port: ProcessPort
  readonly answering: RequestHandlers<Handled>
  /** `handle`: a socket that came with it. */
  readonly onMessage: (message: Received, handle: unknown) => void
  /** After so many milliseconds nobody waits for an answer any more; absent: whoever is asked answers, or ends. */
  readonly timeout?: { readonly clock: Pick<Clock, 'monotonic' | 'at'>; readonly milliseconds: number }
}

/** The other process is gone, or could not answer. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
  /** Of the error that the other process met, where it has one. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

type Envelope =
  | { readonly type: 'notify'; readonly message: unknown }
  | { readonly type: 'request'; readonly id: number; readonly name: PropertyKey; readonly question: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly reason: string; readonly code: string | undefined }

interface Waiting {
  /** On the monotonic clock. */
  readonly until: number
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: ChannelError) => void
}

/** Messages and questions between two processes of a node, both ways and in order. Both are of the same release. */
export class ProcessChannel<
  Sent,
  Requests extends RequestTable<Requests>,
  Received,
  Handled extends RequestTable<Handled>,
> {
  readonly #deps: Deps<Received, Handled>
  readonly #outbox: Outbox<Envelope>
  /** The oldest first. */
  readonly #waiting = new Map<number, Waiting>()
  #endAlarm: (() => void) | undefined
  #nextId = 0
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

  /** Questions that are not answered yet. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** @param handle of a connection, which is open here too until somebody closes it */
  notify(message: Sent, handle?: SendHandle, onSent?: () => void): void {
    this.#send({ type: 'notify', message }, handle, onSent)
  }

  /** @throws ChannelError when there is no answer */
  request<Name extends keyof Requests>(name: Name, question: Requests[Name][0]): Promise<Requests[Name][1]> {
    if (this.#isClosed) return Promise.reject(gone())
    const id = this.#nextId++
    const { timeout } = this.#deps
    const until = timeout === undefined ? Number.POSITIVE_INFINITY : timeout.clock.monotonic() + timeout.milliseconds
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { until, resolve: resolve as Waiting['resolve'], reject })
      this.#setAlarm()
      this.#send({ type: 'request', id, name, question })
    })
  }

  #receive(envelope: Envelope, handle: unknown): void {
    // Node may tell that a process has ended before it gives out what that process had sent.
    if (this.#isClosed) {
      if (handle instanceof Socket) handle.destroy()
      return
    }
    switch (envelope.type) {
      case 'notify':
        this.#deps.onMessage(envelope.message as Received, handle)
        break
      case 'request':
        void this.#answer(envelope)
        break
      case 'answer':
        this.#settle(envelope.id)?.resolve(envelope.answer)
        break
      case 'failed':
        this.#settle(envelope.id)?.reject(new ChannelError(envelope.reason, envelope.code))
    }
  }

  async #answer({ id, name, question }: Extract<Envelope, { type: 'request' }>): Promise<void> {
    try {
      const answer = await this.#deps.answering[name as keyof Handled](question as Handled[keyof Handled][0])
      this.#send({ type: 'answer', id, answer })
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
      this.#send({ type: 'failed', id, reason: error instanceof Error ? error.message : String(error), code })
    }
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }

  /** One alarm for all: it is set for the oldest question, and most are answered long before. */
  #setAlarm(): void {
    const { timeout } = this.#deps
    if (timeout === undefined || this.#endAlarm !== undefined) return
    const [oldest] = this.#waiting.values()
    if (oldest === undefined) return
    this.#endAlarm = timeout.clock.at(oldest.until, () => {
      this.#endAlarm = undefined
      this.#giveUp(timeout.clock.monotonic())
      this.#setAlarm()
    })
  }

  /** What nobody waits for any more is not kept: a process that hangs would fill the memory of who asks it. */
  #giveUp(now: number): void {
    for (const [id, { until, reject }] of this.#waiting) {
      if (until > now) return
      this.#waiting.delete(id)
      reject(new ChannelError('the other process of the node did not answer in time'))
    }
  }

  /** The other process is gone; who has asked is told. Node does not always say so by itself. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#endAlarm?.()
    for (const { reject } of this.#waiting.values()) reject(gone())
    this.#waiting.clear()
    this.#outbox.discard()
  }

  /** Who is gone hears of nothing: whoever asked is told when the channel closes. */
  #send(envelope: Envelope, handle?: SendHandle, onSent?: () => void): void {
    if (this.#isClosed) onSent?.()
    else if (handle === undefined) this.#outbox.add(envelope, onSent)
    else {
      // Only one goes with a message; what was said before it comes before it.
      this.#outbox.flush()
      this.#write(envelope, handle, onSent)
    }
  }

  /** It cannot be cloned: whoever waits for it is told so. */
  #refuse(envelope: Envelope, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    if (envelope.type === 'request') this.#settle(envelope.id)?.reject(new ChannelError(reason))
    else if (envelope.type === 'answer') this.#send({ type: 'failed', id: envelope.id, reason, code: undefined })
    else throw error
  }

  #write(message: Envelope | readonly Envelope[], handle?: SendHandle, onSent: () => void = () => undefined): void {
    // Node forgets to close a handle that is on its way to a process which dies.
    this.#deps.port.send?.(message, handle, { keepOpen: true }, onSent)
  }
}

function gone(): ChannelError {
  return new ChannelError('the other process of the node is gone')
}
