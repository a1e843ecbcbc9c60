import { type RawData, WebSocket } from 'ws'
import {
  type LeaderReply,
  type LeaderRequest,
  type RecordConnection,
  type RecordSource,
  SourceError,
  type StreamHandshake,
  type StreamHello,
  type StreamMessage,
  type SubmitReply,
} from '../../node/log/record-source.ts'
import { type Bytes, bytesToHex } from '../../primitives/hex.ts'
import { foreignText } from '../../primitives/text/foreign-text.ts'
import { peerName } from '../../primitives/text/url-credentials.ts'
import { PendingReplies } from '../../primitives/threads/pending-replies.ts'
import { MessageQueue } from '../message-queue.ts'
import {
  decodeBinary,
  decodeToReplica,
  encodeText,
  STREAM_VERSION,
  type ToReplica,
  type ToServer,
} from '../messages.ts'

export interface WebSocketSourceOptions {
  /** For example `ws://10.0.0.1:8545/replica`. */
  readonly url: string
  readonly token: string | undefined
  /** Maximum bytes of a message. */
  readonly maxRecordBytes: number
  /** Maximum bytes of a text message, which carries the answer to a request. */
  readonly maxTextBytes: number
  /** Timeout of connection and handshake in milliseconds. */
  readonly connectTimeoutMs: number
  /** Milliseconds without any message after which the connection is closed. */
  readonly silenceLimitMs: number
}

/** Milliseconds for reading messages that arrived while this thread was busy, before a source counts as silent. */
const READING_TIME_MS = 250
/** Bytes that may wait to be applied before reading stops. */
const MAX_WAITING_BYTES = 8 * 2 ** 20

/** Source of records over WebSocket: a leader or another replica. */
export class WebSocketSource implements RecordSource {
  readonly name: string
  readonly #options: WebSocketSourceOptions

  constructor(options: WebSocketSourceOptions) {
    this.name = peerName(options.url)
    this.#options = options
  }

  /** @throws SourceError */
  async connect(hello: StreamHello): Promise<RecordConnection> {
    const connection = new Connection(this.#options, hello)
    try {
      await connection.established
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }
}

type Answer = Extract<ToReplica, { readonly type: 'submitted' | 'answered' }>

class Connection implements RecordConnection {
  /** Resolves with the first response. */
  readonly established: Promise<void>
  readonly #options: WebSocketSourceOptions
  readonly #socket: WebSocket
  readonly #queue = new MessageQueue({ maxBytes: MAX_WAITING_BYTES })
  /** Transactions and requests. */
  readonly #unanswered = new PendingReplies<Answer>()
  #handshake: StreamHandshake | undefined
  #failure: SourceError | undefined
  #resolveHandshake: (failure?: SourceError) => void = () => undefined
  #silence: NodeJS.Timeout | undefined

  constructor(options: WebSocketSourceOptions, identity: StreamHello) {
    this.#options = options
    const { url, token, maxRecordBytes: maxPayload, connectTimeoutMs: handshakeTimeout } = options
    this.established = new Promise((resolve, reject) => {
      this.#resolveHandshake = (failure) => (failure === undefined ? resolve() : reject(failure))
    })
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    this.#socket = new WebSocket(url, { headers, maxPayload, handshakeTimeout, perMessageDeflate: false })
    const hello = encodeText({ type: 'hello', version: STREAM_VERSION, ...identity })
    this.#socket.on('open', () => this.#socket.send(hello))
    this.#socket.on('message', (data: RawData, isBinary: boolean) => this.#receive(data as Buffer, isBinary))
    this.#socket.on('unexpected-response', (_, { statusCode }) => this.#fail(refusedUpgrade(statusCode, peerName(url))))
    this.#socket.on('error', (error) => this.#fail(connectionError(error, options)))
    this.#socket.on('close', (code, reason) => {
      this.#fail(
        new SourceError(
          'CLOSED',
          `the connection was closed (${code}${reason.length > 0 ? `, ${foreignText(String(reason))}` : ''})`,
        ),
      )
    })
    this.#expectMore(options.connectTimeoutMs)
  }

  get handshake(): StreamHandshake {
    return this.#handshake!
  }

  next(): Promise<StreamMessage> {
    return this.#queue.next()
  }

  async submit(raw: Bytes): Promise<SubmitReply> {
    const answer = await this.#ask((id) => ({ type: 'submit', id, raw: bytesToHex(raw) }))
    if (answer.type !== 'submitted') throw new SourceError('MALFORMED', 'the answer to a transaction is another one')
    return answer.reply
  }

  async request(request: LeaderRequest): Promise<LeaderReply> {
    const answer = await this.#ask((id) => ({ type: 'request', id, ...request }))
    if (answer.type !== 'answered') throw new SourceError('MALFORMED', 'the answer to a request is another one')
    return answer.reply
  }

  #ask(message: (id: number) => ToServer): Promise<Answer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const { id, reply } = this.#unanswered.add(undefined)
    this.#socket.send(encodeText(message(id)))
    return reply
  }

  close(): void {
    this.#fail(new SourceError('CLOSED', 'the connection was closed'))
    this.#socket.terminate()
  }

  #receive(data: Buffer, isBinary: boolean): void {
    this.#expectMore(this.#options.silenceLimitMs)
    try {
      if (isBinary) this.#take(decodeBinary(data), data.length)
      else if (data.length <= this.#options.maxTextBytes) this.#receiveText(data.toString())
      else
        throw new SourceError('OVERSIZED', `an answer has ${data.length} bytes, at most ${this.#options.maxTextBytes}`)
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      this.#fail(
        this.#handshake === undefined && error.code === 'MALFORMED'
          ? noStream(error, peerName(this.#options.url))
          : error,
      )
    }
  }

  #receiveText(text: string): void {
    const message = decodeToReplica(text)
    switch (message.type) {
      case 'welcome': {
        const { type: _, version, ...handshake } = message
        if (version !== STREAM_VERSION) throw new SourceError('INCOMPATIBLE', `the stream has version ${version}`)
        this.#handshake = handshake
        this.#resolveHandshake()
        break
      }
      case 'refused':
        throw new SourceError(message.code, message.message)
      case 'newest': {
        const { sequence, sent, isOnDemand } = message
        this.#take({ kind: 'newest', sequence, sent, isOnDemand }, text.length)
        break
      }
      case 'submitted':
      case 'answered':
        this.#unanswered.resolve(message.id, message)
        break
      case 'unsubmitted':
        this.#unanswered.reject(message.id, new SourceError('UNREACHABLE', message.message))
    }
  }

  #take(message: StreamMessage, bytes: number): void {
    if (this.#failure !== undefined) return
    this.#queue.add(message, bytes)
    if (!this.#queue.isFull || this.#socket.isPaused) return
    clearTimeout(this.#silence)
    this.#socket.pause()
    void this.#queue.room().then(() => {
      this.#socket.resume()
      this.#expectMore(this.#options.silenceLimitMs)
    })
  }

  /** Earlier messages can still be read. */
  #fail(failure: SourceError): void {
    if (this.#failure !== undefined) return
    this.#failure = failure
    clearTimeout(this.#silence)
    this.#resolveHandshake(failure)
    this.#unanswered.rejectAll(failure)
    this.#socket.terminate()
    this.#queue.fail(failure)
  }

  #expectMore(milliseconds: number): void {
    clearTimeout(this.#silence)
    if (this.#failure !== undefined || this.#socket.isPaused) return
    const silent = () => this.#fail(new SourceError('UNREACHABLE', `${peerName(this.#options.url)} sends no messages`))
    this.#silence = setTimeout(() => {
      this.#silence = setTimeout(silent, READING_TIME_MS)
    }, milliseconds)
  }
}

/** The URL may refer to another WebSocket service of a node. */
function noStream(error: SourceError, name: string): SourceError {
  const message = `${name} does not answer as a replica stream, whose path is /replica (${foreignText(error.message)})`
  return new SourceError('MALFORMED', message, { cause: error })
}

function refusedUpgrade(status: number | undefined, name: string): SourceError {
  if (status === 403) {
    return new SourceError('NOT_ALLOWED', `${name} wants the token that the node was started with: see --replica-token`)
  }
  if (status === 404) {
    return new SourceError(
      'UNREACHABLE',
      `${name} serves no replica stream: a fork has none, beyond loopback the node needs --replica-token, and the path is /replica`,
    )
  }
  if (status === 503) return new SourceError('BUSY', `${name} has too many replicas: see --max-replicas`)
  return new SourceError('UNREACHABLE', `${name} answers ${status}`)
}

function connectionError(error: Error & { code?: string }, { url }: WebSocketSourceOptions): SourceError {
  const { code = '', message } = error
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return new SourceError('OVERSIZED', message, { cause: error })
  if (code.startsWith('WS_ERR')) return new SourceError('MALFORMED', message, { cause: error })
  return new SourceError('UNREACHABLE', `${peerName(url)} cannot be reached (${message || code})`, { cause: error })
}
