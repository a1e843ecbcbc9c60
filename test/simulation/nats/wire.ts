/** A message of a stream. */
export interface StoredMessage {
  readonly sequence: number
  readonly headers: Readonly<Record<string, string>>
  readonly data: Uint8Array
}

/** An entry of a key-value bucket. */
export interface StoredEntry {
  readonly operation: 'PUT' | 'DEL'
  readonly revision: number
  readonly value: Uint8Array
}

/** Settings of a stream under JetStream's names. */
export interface StreamConfig {
  readonly num_replicas?: number
  readonly [name: string]: unknown
}

/** Requests of a client, in place of the protocol of NATS: each has a response, unless it is lost. */
export type NatsRequest =
  | {
      readonly op: 'publish'
      readonly stream: string
      readonly headers: Readonly<Record<string, string>>
      readonly data: Uint8Array
      readonly expectedLast: number
      readonly messageId: string
    }
  | { readonly op: 'info'; readonly stream: string }
  | { readonly op: 'add' | 'update'; readonly stream: string; readonly config: StreamConfig }
  | { readonly op: 'message'; readonly stream: string; readonly sequence: number }
  | { readonly op: 'names' }
  | { readonly op: 'consume'; readonly stream: string; readonly from: number; readonly id: number }
  | { readonly op: 'endConsumption'; readonly id: number }
  | { readonly op: 'bucket'; readonly bucket: string; readonly ttlMs: number }
  | { readonly op: 'entry'; readonly bucket: string; readonly key: string }
  | {
      readonly op: 'put'
      readonly bucket: string
      readonly key: string
      /** `undefined`: deletes. */
      readonly value: Uint8Array | undefined
      /** Revision that the entry must have; 0: it must not exist. */
      readonly expected: number
    }
  | { readonly op: 'subscribe'; readonly subject: string; readonly id: number }
  | { readonly op: 'unsubscribe'; readonly id: number }
  | { readonly op: 'request'; readonly subject: string; readonly data: Uint8Array }
  | { readonly op: 'respond'; readonly reply: number; readonly data: Uint8Array }

export type NatsFailure =
  | { readonly kind: 'api'; readonly code: number; readonly description: string }
  | { readonly kind: 'noResponders' }

export type FromServer =
  | { readonly kind: 'response'; readonly request: number; readonly result?: unknown; readonly failure?: NatsFailure }
  /** A message for a consumer. */
  | { readonly kind: 'message'; readonly id: number; readonly message: StoredMessage }
  /** A request for a subscriber. */
  | { readonly kind: 'request'; readonly id: number; readonly reply: number; readonly data: Uint8Array }

export interface ToServer {
  readonly request: number
  readonly content: NatsRequest
}

/** As JSON: `v8.serialize` writes equal numbers in different ways, depending on how the engine has them in memory. */
export function encodeMessage(message: ToServer | FromServer): Buffer {
  return Buffer.from(
    JSON.stringify(message, function (this: Record<string, unknown>, name: string, value: unknown) {
      const given = this[name]
      return given instanceof Uint8Array ? { base64: Buffer.from(given).toString('base64') } : value
    }),
  )
}

export function decodeMessage<Message extends ToServer | FromServer>(bytes: Uint8Array): Message {
  return JSON.parse(Buffer.from(bytes).toString(), (_, value) => {
    const text = value?.base64
    return typeof text === 'string' ? new Uint8Array(Buffer.from(text, 'base64')) : value
  })
}
