import type { SendHandle } from 'node:child_process'
import { Socket } from 'node:net'

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
export type Questions<Table> = { readonly [Name in keyof Table]: readonly [question: unknown, answer: unknown] }

export type Answering<Table extends Questions<Table>> = {
  readonly [Name in keyof Table]: (question: Table[Name][0]) => Promise<Table[Name][1]>
}

interface Parts<Heard, Asked extends Questions<Asked>> {
  readonly port: ProcessPort
  readonly answering: Answering<Asked>
  /** `handle`: a socket that came with it. */
  readonly onTold: (message: Heard, handle: unknown) => void
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
  | { readonly type: 'tell'; readonly message: unknown }
  | { readonly type: 'ask'; readonly id: number; readonly name: PropertyKey; readonly question: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly reason: string; readonly code: string | undefined }

interface Waiting {
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: ChannelError) => void
}

/** Messages and questions between two processes of a node, both ways and in order. Both are of the same release. */
export class Channel<Told, Asks extends Questions<Asks>, Heard, Asked extends Questions<Asked>> {
  readonly #parts: Parts<Heard, Asked>
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 0
  #isClosed = false

  constructor(parts: Parts<Heard, Asked>) {
    this.#parts = parts
    parts.port.on('message', (message, handle) => this.#receive(message as Envelope, handle))
    parts.port.on('disconnect', () => this.close())
  }

  /** Questions that are not answered yet. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** @param handle of a connection, which is open here too until somebody closes it */
  tell(message: Told, handle?: SendHandle, onSent?: () => void): void {
    this.#send({ type: 'tell', message }, handle, onSent)
  }

  /** @throws ChannelError when there is no answer */
  ask<Name extends keyof Asks>(name: Name, question: Asks[Name][0]): Promise<Asks[Name][1]> {
    if (this.#isClosed) return Promise.reject(gone())
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as Waiting['resolve'], reject })
      this.#send({ type: 'ask', id, name, question })
    })
  }

  #receive(envelope: Envelope, handle: unknown): void {
    // Node may tell that a process has ended before it gives out what that process had sent.
    if (this.#isClosed) {
      if (handle instanceof Socket) handle.destroy()
      return
    }
    switch (envelope.type) {
      case 'tell':
        this.#parts.onTold(envelope.message as Heard, handle)
        break
      case 'ask':
        void this.#answer(envelope)
        break
      case 'answer':
        this.#settle(envelope.id)?.resolve(envelope.answer)
        break
      case 'failed':
        this.#settle(envelope.id)?.reject(new ChannelError(envelope.reason, envelope.code))
    }
  }

  async #answer({ id, name, question }: Extract<Envelope, { type: 'ask' }>): Promise<void> {
    try {
      const answer = await this.#parts.answering[name as keyof Asked](question as Asked[keyof Asked][0])
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

  /** The other process is gone; who has asked is told. Node does not always say so by itself. */
  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#waiting.values()) reject(gone())
    this.#waiting.clear()
  }

  /** Who is gone hears of nothing: whoever asked is told when the channel closes. */
  #send(envelope: Envelope, handle?: SendHandle, onSent: () => void = () => undefined): void {
    if (this.#isClosed) onSent()
    // Node forgets to close a handle that is on its way to a process which dies.
    else this.#parts.port.send?.(envelope, handle, { keepOpen: true }, onSent)
  }
}

function gone(): ChannelError {
  return new ChannelError('the other process of the node is gone')
}
