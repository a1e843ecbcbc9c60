import { type LogMatch, type LogQuery, matchesLog } from '../../chain/receipt/log-query.ts'
import { type Hash, hexToBytes, isHexBytes, toAddress, toHash } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { asObject, malformed, meaningOf } from '../../upstream/rpc-reply.ts'
import { UpstreamError } from '../../upstream/upstream-failure.ts'
import { type BlockTarget, isStill, referenceTo } from './block-reader.ts'
import { blockCall, blockOf, parseQuantity } from './upstream-block.ts'
import type { Deadline, UpstreamClient } from './upstream-client.ts'

export interface SearchedBlocks {
  /** Inclusive. */
  readonly from: number
  /** Inclusive. */
  readonly to: number
}

/** Logs of a part of the chain. */
interface UpstreamLogs {
  /** In the order of the chain. */
  readonly logs: readonly LogMatch[]
  /** Lowest block of the range that was searched: the upstream refuses those below it. */
  readonly since: number
}

/** A log of the upstream; only newer nodes name the time of its block. */
export type UpstreamLog = Omit<LogMatch, 'blockTimestamp'> & { readonly blockTimestamp: bigint | undefined }

interface Deps {
  readonly client: Pick<UpstreamClient, 'request'>
  readonly deadline: Deadline
}

/**
 * Logs of an upstream (`ChainReads.scanLogs`), in one request for all sealed blocks, which many public nodes refuse for
 * wide ranges or do not answer in time. Nodes that do not search their open block count as having no logs in it.
 *
 * @returns `undefined` when the target was replaced
 * @throws UpstreamError
 */
export async function readUpstreamLogs(
  query: LogQuery,
  range: SearchedBlocks,
  target: BlockTarget,
  deps: Deps,
): Promise<UpstreamLogs | undefined> {
  const newestSealed = target.isOpen ? target.block.number - 1 : target.block.number
  const sealed = { from: range.from, to: Math.min(range.to, newestSealed) }
  const lower = sealed.from > sealed.to ? [] : await searchLogs(query, sealed, target, deps)
  const open = { from: newestSealed + 1, to: range.to }
  const upper = open.from > open.to ? [] : await searchLogs(query, open, target, deps)
  if (lower === 'replaced' || upper === 'replaced') return undefined
  const isSearched = !(lower instanceof UpstreamError)
  const found = [...(isSearched ? lower : []), ...(upper instanceof UpstreamError ? [] : upper)]
  return { logs: await withTimes(found, deps), since: isSearched ? range.from : newestSealed + 1 }
}

/**
 * The logs of the sealed blocks or of the open one, between two looks at the target; or the error with which the
 * upstream does not answer for this range: it refuses it, or takes too long.
 */
export async function searchLogs(
  query: LogQuery,
  range: SearchedBlocks,
  target: BlockTarget,
  { client, deadline }: Deps,
): Promise<readonly UpstreamLog[] | 'replaced' | UpstreamError> {
  const isOpen = range.from > target.block.number - (target.isOpen ? 1 : 0)
  const [fromBlock, toBlock] = isOpen ? ['pending', 'pending'] : [toQuantity(range.from), toQuantity(range.to)]
  const { addresses: address } = query
  const topics = query.topics.map((wanted) => (wanted.length === 0 ? null : wanted))
  const call = { method: 'eth_getLogs', params: [{ fromBlock, toBlock, address, topics }] }
  const look = blockCall(referenceTo(target))
  const replies = await client.request([look, call, look], deadline).catch((error: unknown) => {
    // A node that searches for too long is one that does not answer for this range.
    if (error instanceof UpstreamError && error.failure.kind === 'timeout') return error
    throw error
  })
  if (replies instanceof UpstreamError) return replies
  const [before, found, after] = replies
  if (!isStill(target, before!) || !isStill(target, after!)) return 'replaced'
  if (found!.kind === 'error') return searchError(found!)
  try {
    return logsIn(found!.result, query, range)
  } catch (error) {
    // Other nodes answer for their open block with logs without a block, or of the newest sealed one.
    if (isOpen && error instanceof UpstreamError) return error
    throw error
  }
}

function searchError(error: { readonly code: number; readonly message: string }): UpstreamError {
  if (meaningOf(error) === 'timedOut') return new UpstreamError({ kind: 'timeout', milliseconds: undefined })
  return new UpstreamError({ kind: 'refused', code: error.code, message: error.message })
}

/**
 * @throws UpstreamError `malformed`, also for logs of another query or out of order
 */
function logsIn(result: unknown, query: LogQuery, { from, to }: SearchedBlocks): readonly UpstreamLog[] {
  if (!Array.isArray(result)) throw malformed('logs that are no array')
  const logs = result.map(logOf)
  for (const [index, { log, blockNumber, logIndex }] of logs.entries()) {
    if (blockNumber < from || blockNumber > to || !matchesLog(query, log)) throw malformed('a log of another query')
    const previous = logs[index - 1] ?? { blockNumber: -1, logIndex: -1 }
    const isLater =
      blockNumber === previous.blockNumber ? logIndex > previous.logIndex : blockNumber > previous.blockNumber
    if (!isLater) throw malformed('logs that are not in the order of the chain')
  }
  return logs
}

function logOf(value: unknown): UpstreamLog {
  const { address, topics, data, blockTimestamp, ...place } = asObject(value)
  if (!Array.isArray(topics) || topics.length > 4) throw malformed('a log without topics')
  const numberOf = (name: 'blockNumber' | 'transactionIndex' | 'logIndex') => Number(parseQuantity(place[name], name))
  return {
    log: {
      address: toAddress(hexOf(address, 20)),
      topics: topics.map((topic) => toHash(hexOf(topic, 32))),
      data: hexToBytes(hexOf(data)),
    },
    blockNumber: numberOf('blockNumber'),
    blockHash: toHash(hexOf(place.blockHash, 32)),
    blockTimestamp: blockTimestamp === undefined ? undefined : parseQuantity(blockTimestamp, 'block timestamp'),
    transactionHash: toHash(hexOf(place.transactionHash, 32)),
    transactionIndex: numberOf('transactionIndex'),
    logIndex: numberOf('logIndex'),
  }
}

/** @param size in bytes; any by default */
function hexOf(value: unknown, size?: number): string {
  const isBytes = typeof value === 'string' && isHexBytes(value)
  if (!isBytes || (size !== undefined && value.length !== 2 + 2 * size)) throw malformed('a log with invalid bytes')
  return value
}

/** The logs with the times of their blocks, which older nodes do not name in logs. */
async function withTimes(logs: readonly UpstreamLog[], { client, deadline }: Deps): Promise<readonly LogMatch[]> {
  const untimed = logs.filter(({ blockTimestamp }) => blockTimestamp === undefined)
  const hashes = [...new Set(untimed.map(({ blockHash }) => blockHash))]
  const times = new Map<Hash, bigint>()
  if (hashes.length > 0) {
    const references = hashes.map((hash) => ({ kind: 'hash', hash, requireCanonical: false }) as const)
    const replies = await client.request(references.map(blockCall), deadline)
    for (const [index, reference] of references.entries()) {
      const block = blockOf(replies[index]!, reference)
      if (block === undefined) throw malformed(`logs of the block ${reference.hash}, which it does not have`)
      times.set(reference.hash, block.timestamp)
    }
  }
  return logs.map((log) => ({ ...log, blockTimestamp: log.blockTimestamp ?? times.get(log.blockHash)! }))
}
