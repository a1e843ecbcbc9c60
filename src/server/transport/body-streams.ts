import type { Socket } from 'node:net'
import type { BodyStream } from '../../rest/http/rest-service.ts'
import type { ServerLimits } from './limits.ts'
import type { ServerMonitor } from './monitor.ts'

type Limits = Pick<ServerLimits, 'maxEventSubscribers' | 'maxEventSubscribersPerAddress' | 'writeTimeoutMs'>

/** Bytes that the client has not read, above which nothing more is written. */
const HIGH_WATER = 64 * 1024

/** Responses whose bodies are streams: counts them, and writes each as fast as its client reads. */
export class BodyStreams {
  readonly #limits: Limits
  readonly #monitor: ServerMonitor
  readonly #open = new Set<OpenStream>()
  /** Open streams by address. */
  readonly #counts = new Map<string, number>()
  /** Connections of streams until they close, which clients may delay after the end. */
  readonly #sockets = new Set<Socket>()

  constructor(limits: Limits, { monitor }: { readonly monitor: ServerMonitor }) {
    this.#limits = limits
    this.#monitor = monitor
  }

  get size(): number {
    return this.#open.size
  }

  /** Which limit keeps an address from a further stream. */
  reachedLimit(address: string): 'all' | 'address' | undefined {
    if (this.#open.size >= this.#limits.maxEventSubscribers) return 'all'
    return (this.#counts.get(address) ?? 0) >= this.#limits.maxEventSubscribersPerAddress ? 'address' : undefined
  }

  /** The stream, which counts until it is closed. Check `reachedLimit` before. */
  admit(stream: BodyStream, address: string): BodyStream {
    this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1)
    const open: OpenStream = new OpenStream(stream, this.#limits, {
      onClosed: () => {
        this.#open.delete(open)
        this.#uncount(address)
      },
      onSlow: () => this.#monitor.dropped('slow'),
    })
    this.#open.add(open)
    return open
  }

  #uncount(address: string): void {
    const left = this.#counts.get(address)! - 1
    if (left === 0) this.#counts.delete(address)
    else this.#counts.set(address, left)
  }

  /** Writes an admitted stream behind the head of its response. */
  serve(socket: Socket, stream: BodyStream): void {
    if (!(stream instanceof OpenStream)) return
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    stream.writeTo(socket)
  }

  /** Streams have no requests to await. */
  async finish(): Promise<void> {}

  close(): void {
    for (const open of this.#open) open.end()
  }

  terminate(): void {
    for (const open of this.#open) open.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

interface Listeners {
  readonly onClosed: () => void
  readonly onSlow: () => void
}

/** A stream on its connection. */
class OpenStream implements BodyStream {
  readonly #stream: BodyStream
  readonly #limits: Limits
  readonly #listeners: Listeners
  #socket: Socket | undefined
  #isClosed = false
  /** Runs while the client leaves something unread. */
  #timer: NodeJS.Timeout | undefined

  constructor(stream: BodyStream, limits: Limits, listeners: Listeners) {
    this.#stream = stream
    this.#limits = limits
    this.#listeners = listeners
  }

  read(): string | undefined {
    return this.#stream.read()
  }

  onReadable(listener: () => void): void {
    this.#stream.onReadable(listener)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#listeners.onClosed()
    this.#stream.close()
  }

  writeTo(socket: Socket): void {
    this.#socket = socket
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.close())
    socket.on('drain', () => this.#write())
    // The client has gone: subscribers send nothing.
    socket.on('end', () => socket.destroy())
    socket.resume()
    if (socket.destroyed) {
      this.close()
      return
    }
    // The server has begun to stop.
    if (this.#isClosed) {
      this.end()
      return
    }
    this.onReadable(() => this.#write())
    this.#write()
  }

  /** Ends the body. A client that does not read the rest and close its side in time is disconnected. */
  end(): void {
    this.close()
    const socket = this.#socket
    if (socket === undefined || socket.destroyed) return
    const timer = setTimeout(() => socket.destroy(), this.#limits.writeTimeoutMs).unref()
    socket.once('close', () => clearTimeout(timer))
    socket.end()
  }

  #write(): void {
    const socket = this.#socket!
    while (!this.#isClosed && socket.writable && socket.writableLength < HIGH_WATER) {
      const text = this.#stream.read()
      if (text === undefined) {
        this.end()
        return
      }
      if (text === '') break
      socket.write(text, () => this.#watchReading(socket))
      if (this.#timer === undefined) this.#watchReading(socket)
    }
  }

  /** Closes a connection that makes no progress. */
  #watchReading(socket: Socket): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#isClosed || socket.writableLength === 0) return
    this.#timer = setTimeout(() => {
      this.#listeners.onSlow()
      socket.destroy()
    }, this.#limits.writeTimeoutMs).unref()
  }
}
