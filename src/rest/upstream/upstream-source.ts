import type { LogQuery } from '../../chain/receipt/log-query.ts'
import type { Clock } from '../../node/core/clock.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import type { Hash } from '../../primitives/hex.ts'
import { UpstreamError, type UpstreamFailure, upstreamFailureMessage } from '../../upstream/upstream-failure.ts'
import { type StatusDetail, StatusError, type StatusName } from '../http/status.ts'
import type { LoggedBlock, SealedBlocks } from '../stock-events/sealed-blocks.ts'
import {
  BlockReplaced,
  type CallResult,
  type ChainPoint,
  type ChainReads,
  type ChainSource,
  type LogScan,
  ReadRefused,
  type SourceBlock,
} from '../tokenized-stocks/chain-source.ts'
import { BlockReader, type BlockTarget, type ReadRequest } from './block-reader.ts'
import { type HeadOptions, Heads } from './heads.ts'
import { blockCall, blockOf } from './upstream-block.ts'
import { readUpstreamBlocks } from './upstream-blocks.ts'
import type { Deadline, UpstreamClient } from './upstream-client.ts'
import { readUpstreamLogs, type SearchedBlocks } from './upstream-logs.ts'

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
export class UpstreamSource implements ChainSource, SealedBlocks {
  readonly #options: UpstreamSourceOptions
  readonly #clock: Clock
  readonly #client: Parts['client']
  readonly #heads: Heads
  readonly #reader: BlockReader

  constructor(options: UpstreamSourceOptions, parts: Parts) {
    this.#options = options
    this.#clock = parts.clock
    this.#client = parts.client
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
    const deadline = after?.deadline ?? this.#deadline()
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

  hashOf(number: number): Promise<Hash | undefined> {
    const reference = { kind: 'number', number } as const
    const look = this.#client.request([blockCall(reference)], this.#deadline())
    return explained(look.then(([reply]) => blockOf(reply!, reference)?.hash))
  }

  read(range: SearchedBlocks, queries: readonly LogQuery[]): Promise<readonly LoggedBlock[] | undefined> {
    return explained(readUpstreamBlocks(range, queries, { client: this.#client, deadline: this.#deadline() }))
  }

  #deadline(): Deadline {
    return this.#clock.monotonic() + this.#options.deadlineMs
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#clock.at(this.#clock.monotonic() + PAUSE_MS, resolve))
  }

  #open(target: BlockTarget, deadline: Deadline): ChainReads {
    return {
      call: (calls) => explained(this.#read({ kind: 'call', calls }, target, deadline)),
      code: async (addresses) => {
        const results = await explained(this.#read({ kind: 'code', addresses }, target, deadline))
        return results.map((result) => (result.kind === 'returned' ? result.output : new Uint8Array(0)))
      },
      scanLogs: (scan) => explained(this.#scanLogs(scan, target, deadline)),
      isOnChain: (block) => explained(this.#isOnChain(block, deadline)),
      close: () => undefined,
    }
  }

  async #scanLogs({ query, from, to, visit }: LogScan, target: BlockTarget, deadline: Deadline): Promise<number> {
    // A node that searches for long must leave time for the other reads of the request.
    const now = this.#clock.monotonic()
    const found = await readUpstreamLogs(query, { from, to }, target, {
      client: this.#client,
      deadline: now + (deadline - now) / 2,
    })
    if (found !== undefined) {
      const needed = new Set(query.addresses)
      for (const match of found.logs) {
        if (needed.has(match.log.address) && !visit(match)) needed.delete(match.log.address)
      }
      return found.since
    }
    this.#heads.forget()
    throw new BlockReplaced(deadline, statusErrorOf({ kind: 'replaced' }))
  }

  /** Asks the upstream for the chain that it has now; if it replaced the block of the reads, a later read notices. */
  async #isOnChain({ number, hash }: ChainPoint, deadline: Deadline): Promise<boolean> {
    const reference = { kind: 'number', number } as const
    const [reply] = await this.#client.request([blockCall(reference)], deadline)
    return blockOf(reply!, reference)?.hash === hash
  }

  async #read(request: ReadRequest, target: BlockTarget, deadline: Deadline): Promise<readonly CallResult[]> {
    const reading = await this.#reader.read(request, target, deadline)
    if (reading.kind === 'read') return reading.results
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

interface ReasonDescription {
  readonly status: StatusName
  /** `reason` of google.rpc.ErrorInfo in the details. */
  readonly reason: string
  readonly when: string
}

const unavailable = (reason: string, when: string): ReasonDescription => ({ status: 'unavailable', reason, when })

/** Errors in responses; `docs/rest.md` is generated from them. */
export const UPSTREAM_REASONS: Readonly<Record<UpstreamFailure['kind'], ReasonDescription>> = {
  unreachable: unavailable(
    'UPSTREAM_UNREACHABLE',
    'No connection to the node, or one that ended before the answer did.',
  ),
  timeout: {
    status: 'deadlineExceeded',
    reason: 'UPSTREAM_TIMEOUT',
    when: 'The node did not answer in time (`--upstream-timeout-ms`, `--deadline-ms`), or gave up by itself.',
  },
  status: unavailable('UPSTREAM_HTTP_STATUS', 'The node answered with an HTTP status other than 200 and 429.'),
  limited: unavailable('UPSTREAM_RATE_LIMITED', 'Too many requests to the node: 429, or an equivalent JSON-RPC error.'),
  malformed: unavailable(
    'UPSTREAM_MALFORMED',
    'What came is no JSON-RPC answer: no JSON, or not one reply to each call.',
  ),
  tooLarge: unavailable('UPSTREAM_ANSWER_TOO_LARGE', 'An answer of the node is larger than `--max-upstream-bytes`.'),
  tooMuch: unavailable(
    'UPSTREAM_ANSWERS_TOO_LARGE',
    'Answers of the node that arrive at the same time are larger than four times `--max-upstream-bytes`, together.',
  ),
  refused: unavailable(
    'UPSTREAM_REFUSED',
    'The node refused to read, with an error that says nothing about the contract: a method that it lacks, a batch that is too large.',
  ),
  busy: unavailable('UPSTREAM_BUSY', 'More reads wait for the node than `--max-upstream-waiting`.'),
  wrongChain: unavailable(
    'UPSTREAM_WRONG_CHAIN',
    'The node is of another chain than at the start, or than `--chain-id`.',
  ),
  stale: unavailable(
    'UPSTREAM_STALE',
    "The node's newest block is older than `--max-staleness-seconds`, and the request names a tag.",
  ),
  replaced: unavailable('UPSTREAM_BLOCK_REPLACED', 'The block was replaced five times before it was read to the end.'),
}

/** The REST outcome of a failure. */
function statusErrorOf(failure: UpstreamFailure): StatusError {
  const { status, reason } = UPSTREAM_REASONS[failure.kind]
  const info: StatusDetail = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'tickertape' }
  const isRefusal = failure.kind === 'refused' || failure.kind === 'tooLarge'
  return new (isRefusal ? ReadRefused : StatusError)(status, upstreamFailureMessage(failure), [info])
}
