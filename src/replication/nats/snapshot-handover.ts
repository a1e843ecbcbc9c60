import {
  type LeaderReply,
  type LeaderRequest,
  type RecordConnection,
  SourceError,
  type StreamHandshake,
  type StreamMessage,
  type SubmitReply,
} from '../../node/log/record-source.ts'
import type { Bytes } from '../../primitives/hex.ts'
import type { NatsConsumption } from './nats-consumption.ts'
import { reasonOf } from './nats-failure.ts'

export interface SnapshotHandoverDeps {
  /** Connection to the node that sends the snapshot or the first records. */
  readonly giver: RecordConnection
  readonly consumption: NatsConsumption
}

/** Starts with a snapshot or all records of a node, and switches to the stream once it has the next record. */
export class SnapshotHandover implements RecordConnection {
  readonly handshake: StreamHandshake
  readonly #deps: SnapshotHandoverDeps
  #next: number
  #isCopying: boolean
  #isHandedOver = false

  constructor(stream: Omit<StreamHandshake, 'begins'>, deps: SnapshotHandoverDeps) {
    const { begins } = deps.giver.handshake
    this.handshake = { ...stream, begins }
    this.#deps = deps
    this.#next = begins.from
    this.#isCopying = begins.kind === 'snapshot'
  }

  async next(): Promise<StreamMessage> {
    const { giver, consumption } = this.#deps
    if (!this.#isHandedOver && !this.#isCopying && this.#next >= this.handshake.firstSequence) {
      await consumption.start(this.#next).catch((error: Error) => {
        throw new SourceError('UNREACHABLE', `the stream cannot be read: ${reasonOf(error)}`, { cause: error })
      })
      this.#isHandedOver = true
      giver.close()
    }
    if (this.#isHandedOver) return consumption.next()
    const message = await giver.next()
    if (message.kind === 'snapshotEnd') this.#isCopying = false
    if (message.kind === 'records') this.#next = (message.records.at(-1)?.sequence ?? this.#next - 1) + 1
    return message
  }

  submit(raw: Bytes): Promise<SubmitReply> {
    return this.#deps.consumption.submit(raw)
  }

  request(request: LeaderRequest): Promise<LeaderReply> {
    return this.#deps.consumption.request(request)
  }

  close(): void {
    this.#deps.giver.close()
    this.#deps.consumption.close()
  }
}
