import type { Block } from '../../chain/block/block.ts'
import type { Header } from '../../chain/block/header.ts'
import type { LogMatch, LogQuery } from '../../chain/receipt/log-query.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { BoundedCache } from '../../primitives/bounded-cache.ts'
import type { Hash } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { CallOptions, ForkSource } from '../source/cached-source.ts'
import { ForkError } from '../source/fork-error.ts'
import type { ForkPoint } from '../source/fork-point.ts'
import { invalid, ReplyObject } from '../source/reply-fields.ts'
import { cachedBytes, readBlockReply, readReceiptReplies, uncleHashesOf } from './block-reading.ts'
import type { ForeignData } from './foreign-data.ts'
import { type HeaderReading, readHeaderReply, readJudgedHeader } from './header-reading.ts'
import { type BlockRange, type LogReading, logParams, readLogReplies } from './log-reading.ts'

/** Decoded blocks that are kept, by the size of their RLP. */
const MAX_BLOCK_BYTES = 16 * 2 ** 20
/** Blocks whose times a brief search of logs reads, where the logs do not name them. */
const MAX_BRIEF_HEADERS = 256
/** Errors of a node for a range or result that it finds too large. */
const TOO_MUCH = /range|limit|too (many|large)|exceed|more than|response size/i

export interface TransactionPlace {
  readonly block: Block
  readonly index: number
}

/**
 * Blocks, receipts, transactions and logs up to the fork block. Each is compared with the hash that commits to it,
 * unless only the chain's own nodes know what is hashed.
 */
export class ForkedChain {
  readonly #point: ForkPoint
  readonly #source: ForkSource
  readonly #data: ForeignData
  readonly #blocks = new BoundedCache<Hash, Block>({ maxBytes: MAX_BLOCK_BYTES })
  /** Whether the upstream offers `eth_getBlockReceipts`. */
  #hasBlockReceipts = true

  constructor(
    options: { readonly point: ForkPoint },
    deps: { readonly source: ForkSource; readonly data: ForeignData },
  ) {
    this.#point = options.point
    this.#source = deps.source
    this.#data = deps.data
  }

  /**
   * A block by number or hash; `undefined` for one that is unknown or above the fork block.
   *
   * @throws ForkError
   */
  async block(reference: number | Hash): Promise<Block | undefined> {
    const cached = typeof reference === 'number' ? undefined : this.#blocks.get(reference)
    if (cached !== undefined) return cached
    const result = await this.#blockReply(reference, true)
    if (result === undefined) return undefined
    const subject = `block ${reference}`
    const block = readBlockReply(result, subject, this.#data, await this.#uncles(result, subject))
    this.#assertRequested(block, reference)
    if (block.header.number > this.#point.number) return undefined
    this.#blocks.offer(block.hash, block, cachedBytes(block))
    return block
  }

  /** The header of a block, which may have members that this node does not know. */
  async header(reference: number | Hash, isBrief = false): Promise<HeaderReading | undefined> {
    const result = await this.#blockReply(reference, false, { isBrief })
    if (result === undefined) return undefined
    const reading = readHeaderReply(new ReplyObject(result, `block ${reference}`), this.#data)
    this.#assertRequested(reading, reference)
    return reading.header.number > this.#point.number ? undefined : reading
  }

  /** @throws ForkError FORK_BLOCK_MISSING */
  async blockHashAt(number: number): Promise<Hash> {
    const reading = await this.header(number)
    if (reading !== undefined) return reading.hash
    throw new ForkError('FORK_BLOCK_MISSING', `the upstream has no block ${number}: use another --fork-url`)
  }

  /** Receipts of a block of this chain, in order. */
  async receipts(block: Block): Promise<readonly Receipt[]> {
    return readReceiptReplies(await this.#receiptReplies(block), block, this.#data)
  }

  /** Where a transaction is; `undefined` if it is not in a block up to the fork block. */
  async transaction(hash: Hash): Promise<TransactionPlace | undefined> {
    const result = await this.#source.fixed('eth_getTransactionByHash', [hash])
    if (result === null || result === undefined) return undefined
    const reply = new ReplyObject(result, `transaction ${hash}`)
    // Pending, or above the fork block.
    if (!reply.has('blockNumber') || reply.number('blockNumber') > this.#point.number) return undefined
    const block = await this.block(reply.number('blockNumber'))
    const index = block?.transactions.findIndex((transaction) => transaction.hash === hash) ?? -1
    if (block === undefined || index === -1) throw invalid(`transaction ${hash}`, 'its block does not contain it')
    return { block, index }
  }

  /**
   * Matching logs of a range, in order.
   *
   * @param range ends at the fork block or below
   * @param isBrief whether to give up after one attempt of a few seconds, also where the upstream finds the range too
   * large, which is divided otherwise
   * @throws ForkError
   */
  async logs(query: LogQuery, range: BlockRange, isBrief = false): Promise<readonly LogMatch[]> {
    const { from, to } = range
    try {
      const result = await this.#source.fixed('eth_getLogs', logParams(query, range), { isBrief })
      const logs = readLogReplies(result, query, range)
      if (isBrief) assertFewUntimed(logs)
      return await Promise.all(
        logs.map(async ({ blockTimestamp, ...log }) => ({
          ...log,
          blockTimestamp: blockTimestamp ?? (await this.#timestampOf(log.blockHash, isBrief)),
        })),
      )
    } catch (error) {
      if (from === to || isBrief || !isTooMuch(error)) throw error
      const middle = Math.floor((from + to) / 2)
      const lower = await this.logs(query, { from, to: middle })
      return [...lower, ...(await this.logs(query, { from: middle + 1, to }))]
    }
  }

  async #timestampOf(hash: Hash, isBrief: boolean): Promise<bigint> {
    const reading = await this.header(hash, isBrief)
    if (reading === undefined) throw invalid(`block ${hash}`, 'it has logs and does not exist')
    return reading.header.timestamp
  }

  async #blockReply(reference: number | Hash, isWhole: boolean, options?: CallOptions): Promise<unknown> {
    if (typeof reference === 'number' && (reference > this.#point.number || reference < 0)) return undefined
    const result =
      typeof reference === 'number'
        ? await this.#source.fixed('eth_getBlockByNumber', [toQuantity(reference), isWhole], options)
        : await this.#source.fixed('eth_getBlockByHash', [reference, isWhole], options)
    return result ?? undefined
  }

  async #uncles(result: unknown, subject: string): Promise<readonly Header[]> {
    const reply = new ReplyObject(result, subject)
    const { hash, isVerified } = readHeaderReply(reply, this.#data)
    // Nothing commits to them: they are shown as the upstream names them.
    if (!isVerified) return []
    const replies = await Promise.all(
      uncleHashesOf(result, subject).map((_, index) =>
        this.#source.fixed('eth_getUncleByBlockHashAndIndex', [hash, toQuantity(index)]),
      ),
    )
    return replies.map((reply) => readJudgedHeader(new ReplyObject(reply, `an uncle of ${subject}`), this.#data).header)
  }

  async #receiptReplies({ hash, header, transactions }: Block): Promise<readonly unknown[]> {
    if (transactions.length === 0) return []
    if (this.#hasBlockReceipts) {
      try {
        const result = await this.#source.fixed('eth_getBlockReceipts', [toQuantity(header.number)])
        if (Array.isArray(result)) return result
      } catch (error) {
        if (!(error instanceof ForkError) || !isNotOffered(error)) throw error
        // Offline, receipts of another block may be cached.
        this.#hasBlockReceipts = error.code === 'FORK_OFFLINE'
      }
    }
    const replies = await Promise.all(
      transactions.map((transaction) => this.#source.fixed('eth_getTransactionReceipt', [transaction.hash])),
    )
    if (replies.includes(null)) throw invalid(`block ${hash}`, 'receipts are missing')
    return replies
  }

  #assertRequested({ header, hash }: { readonly header: Header; readonly hash: Hash }, reference: number | Hash): void {
    if (reference !== header.number && reference !== hash) throw invalid(`block ${reference}`, 'it is another block')
    if (header.number === this.#point.number && hash !== this.#point.hash) throw replacedError(this.#point, hash)
  }
}

/** The block on which the chain is forked is not that of the upstream any more. */
export function replacedError({ number, hash }: ForkPoint, found: Hash): ForkError {
  return new ForkError(
    'FORK_BLOCK_REPLACED',
    `the upstream replaced the fork block ${number} (${hash}) by ${found}: start again, with an older --fork-block-number`,
  )
}

/** @throws ForkError FORK_TOO_LARGE */
function assertFewUntimed(logs: readonly LogReading[]): void {
  const untimed = logs.filter(({ blockTimestamp }) => blockTimestamp === undefined)
  if (new Set(untimed.map(({ blockHash }) => blockHash)).size <= MAX_BRIEF_HEADERS) return
  throw new ForkError('FORK_TOO_LARGE', 'the upstream names no times in logs, and these are of too many blocks')
}

function isTooMuch(error: unknown): boolean {
  if (!(error instanceof ForkError)) return false
  return error.code === 'FORK_TOO_LARGE' || (error.reply !== undefined && TOO_MUCH.test(error.reply.message))
}

/** Whether a method, rather than this call of it, is refused. */
export function isNotOffered({ code }: ForkError): boolean {
  return code === 'FORK_METHOD_UNSUPPORTED' || code === 'FORK_REFUSED' || code === 'FORK_OFFLINE'
}
