import type { Clock } from '../../node/core/clock.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import type { Bytes, Hash } from '../../primitives/hex.ts'
import { UpstreamError } from '../../upstream/upstream-failure.ts'
import {
  type BlockReads,
  BlockReplaced,
  type ChainSource,
  type ContractCall,
  type SourceBlock,
} from '../tokenized-stocks/chain-source.ts'
import { BlockReader, type BlockTarget } from './block-reader.ts'
import { type HeadOptions, Heads } from './heads.ts'
import type { Deadline, UpstreamClient } from './upstream-client.ts'
import { statusErrorOf } from './upstream-status.ts'

export interface UpstreamSourceOptions extends HeadOptions {
  /** Timeout in milliseconds of a response, including all requests and retries. */
  readonly deadlineMs: number
}

interface Parts {
  readonly client: Pick<UpstreamClient, 'request' | 'batchSize'>
  readonly clock: Clock
}

/** Milliseconds before the retry after a reorganisation. */
const PAUSE_MS = 100

/** The chain of another node, over JSON-RPC. */
export class UpstreamSource implements ChainSource {
  readonly #options: UpstreamSourceOptions
  readonly #clock: Clock
  readonly #heads: Heads
  readonly #reader: BlockReader

  constructor(options: UpstreamSourceOptions, parts: Parts) {
    this.#options = options
    this.#clock = parts.clock
    this.#heads = new Heads(options, parts)
    this.#reader = new BlockReader(parts)
  }

  get chainId(): bigint {
    return this.#options.chainId
  }

  latestHash(): Hash | undefined {
    return this.#heads.latestHash()
  }

  async block(reference: BlockReference, after?: BlockReplaced): Promise<SourceBlock | undefined> {
    // One of several nodes of the upstream may lag behind the one that returned the block.
    if (after !== undefined) await this.#pause()
    const deadline = after?.deadline ?? this.#clock.monotonic() + this.#options.deadlineMs
    const { block, latest } = await explained(this.#heads.resolve(reference, deadline))
    if (block === undefined) return undefined
    const isOpen = block.number > latest.number
    return {
      ...block,
      // Finality of the upstream chain is known only through its tag.
      status: isOpen ? 'open' : 'sealed',
      open: () => this.#open({ block, isOpen }, deadline),
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#clock.at(this.#clock.monotonic() + PAUSE_MS, resolve))
  }

  #open(target: BlockTarget, deadline: Deadline): BlockReads {
    return {
      call: (calls) => explained(this.#read(calls, target, deadline)),
      close: () => undefined,
    }
  }

  async #read(
    calls: readonly ContractCall[],
    target: BlockTarget,
    deadline: Deadline,
  ): Promise<readonly (Bytes | undefined)[]> {
    const reading = await this.#reader.read(calls, target, deadline)
    if (reading.kind === 'read') return reading.outputs
    this.#heads.forget()
    throw new BlockReplaced(deadline, statusErrorOf({ kind: 'replaced' }))
  }
}

async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof UpstreamError ? statusErrorOf(error.failure) : error
  }
}
