import { once } from 'node:events'
import { WebSocket } from 'ws'
import { hashHeader } from '../../src/chain/block/header-codec.ts'
import type { Hash } from '../../src/primitives/hex.ts'
import type { Flashblock } from './flashblocks/flashblock.ts'
import { headerSoFar } from './flashblocks/flashblock-header.ts'
import { orderVerdict } from './flashblocks/flashblock-order.ts'
import { readFlashblock } from './flashblocks/flashblock-reader.ts'

/** A received frame, raw and decoded. */
export interface ReceivedFrame {
  readonly bytes: Buffer
  readonly isBinary: boolean
  readonly flashblock: Flashblock
}

/** A subscriber of the public feed that collects every message. */
export class FeedClient {
  readonly socket: WebSocket
  readonly frames: ReceivedFrame[] = []
  /** The code with which it was closed. */
  readonly closed: Promise<number>
  readonly #listeners = new Set<() => void>()

  constructor(url: string) {
    this.socket = new WebSocket(url)
    this.closed = new Promise((resolve) => this.socket.once('close', resolve))
    this.socket.on('message', (bytes: Buffer, isBinary) => {
      const result = readFlashblock(bytes)
      if (result.kind === 'refused') throw new Error(result.fault.message)
      this.frames.push({ bytes, isBinary, flashblock: result.flashblock })
      for (const listener of this.#listeners) listener()
    })
  }

  static async connect(url: string): Promise<FeedClient> {
    const client = new FeedClient(url)
    await once(client.socket, 'open')
    return client
  }

  get flashblocks(): readonly Flashblock[] {
    return this.frames.map(({ flashblock }) => flashblock)
  }

  /** Resolves after this many messages. */
  received(count: number): Promise<void> {
    return this.until(() => this.frames.length >= count)
  }

  until(isReached: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isReached()) return
        this.#listeners.delete(look)
        resolve()
      }
      this.#listeners.add(look)
      look()
    })
  }

  async close(): Promise<void> {
    this.socket.close()
    await this.closed
  }
}

/**
 * The blocks of a sequence of flashblocks, by height, each with the hash of the header that its messages make.
 *
 * @throws Error when a flashblock is missing, repeated or out of order, or its hash is wrong
 */
export function blocksOf(flashblocks: readonly Flashblock[]): ReadonlyMap<number, Hash> {
  const blocks = new Map<number, Hash>()
  let block: Flashblock[] = []
  for (const flashblock of flashblocks) {
    const verdict = orderVerdict(block.at(-1), flashblock)
    if (verdict !== 'next' && verdict !== 'first') {
      throw new Error(`block ${flashblock.number}, index ${flashblock.index}: ${verdict}`)
    }
    block = verdict === 'first' ? [flashblock] : [...block, flashblock]
    const hash = hashHeader(headerSoFar(block)!)
    if (hash !== flashblock.diff.blockHash) {
      throw new Error(`block ${flashblock.number}, index ${flashblock.index}: the header's hash is another`)
    }
    blocks.set(flashblock.number, hash)
  }
  return blocks
}
