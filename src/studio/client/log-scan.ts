import { numberOf } from '../../live/amount.ts'
import type { NodeRequests } from '../../live/http-rpc.ts'
import { RequestError } from '../../live/request-error.ts'
import { type LogObject, logObject } from '../model/chain-objects.ts'

/** The criteria of `eth_getLogs`. */
export interface LogCriteria {
  readonly address?: string
  readonly topics?: readonly (string | null | readonly string[])[]
}

/** Logs of a range of sealed blocks, oldest first. */
export interface ScannedLogs {
  readonly logs: readonly LogObject[]
  /** Oldest block whose logs are all here; 0: those of the whole chain. */
  readonly fromBlock: number
  readonly toBlock: number
}

/** Logs that are kept, the newest ones. */
export const MAX_LOGS = 5_000
/** Requests of one scan: public nodes limit the range of each. */
const MAX_REQUESTS = 8
/** Blocks of a request after the node refused the whole chain. */
const LIMITED_SPAN = 10_000
const MIN_SPAN = 10
/** Newest blocks that are read again, since a reorganisation may have replaced them. */
const REORGANISED = 64

/**
 * Reads the logs of the whole chain, or of as many newest blocks as the node allows.
 *
 * @param before an earlier result for the same criteria: only newer blocks are read, if the node allows their range
 * @throws RequestError when the node refuses any range
 */
export async function scanLogs(node: NodeRequests, criteria: LogCriteria, before?: ScannedLogs): Promise<ScannedLogs> {
  const newest = numberOf(await node.request('eth_blockNumber')) ?? 0
  if (before === undefined || newest < before.toBlock) return backwards(node, criteria, newest)
  try {
    return await forwards(node, criteria, before, newest)
  } catch (error) {
    if (!isRefusedRange(error)) throw error
    return backwards(node, criteria, newest)
  }
}

/** The newest blocks in one range, after an earlier scan. */
async function forwards(
  node: NodeRequests,
  criteria: LogCriteria,
  before: ScannedLogs,
  newest: number,
): Promise<ScannedLogs> {
  const from = Math.max(before.fromBlock, before.toBlock + 1 - REORGANISED)
  const older = before.logs.filter(({ blockNumber = 0 }) => blockNumber < from)
  return bounded([...older, ...(await logsOf(node, criteria, from, newest))], before.fromBlock, newest)
}

/** From the newest block to older ones, in smaller ranges after a refusal. */
async function backwards(node: NodeRequests, criteria: LogCriteria, newest: number): Promise<ScannedLogs> {
  let logs: readonly LogObject[] = []
  let span = newest + 1
  let to = newest
  for (let request = 0; request < MAX_REQUESTS && to >= 0 && logs.length < MAX_LOGS; request += 1) {
    const from = Math.max(0, to - span + 1)
    try {
      logs = [...(await logsOf(node, criteria, from, to)), ...logs]
      to = from - 1
    } catch (error) {
      if (!isRefusedRange(error) || span <= MIN_SPAN) throw error
      span = Math.max(MIN_SPAN, Math.min(LIMITED_SPAN, Math.floor(span / 8)))
    }
  }
  return bounded(logs, to + 1, newest)
}

/** Whether a smaller range may help. */
function isRefusedRange(error: unknown): boolean {
  return error instanceof RequestError && error.code === 'REFUSED' && !error.isUnknownMethod
}

async function logsOf(
  node: NodeRequests,
  criteria: LogCriteria,
  from: number,
  to: number,
): Promise<readonly LogObject[]> {
  const json = await node.request('eth_getLogs', [{ ...criteria, fromBlock: hex(from), toBlock: hex(to) }])
  return (Array.isArray(json) ? json : []).flatMap((log: unknown) => logObject(log) ?? [])
}

function bounded(logs: readonly LogObject[], fromBlock: number, toBlock: number): ScannedLogs {
  if (logs.length <= MAX_LOGS) return { logs, fromBlock, toBlock }
  const first = logs.at(-MAX_LOGS)?.blockNumber ?? toBlock
  // Logs of the block of the oldest kept one may be missing, so the range begins after it.
  return { logs: logs.filter(({ blockNumber = 0 }) => blockNumber > first), fromBlock: first + 1, toBlock }
}

function hex(height: number): string {
  return `0x${height.toString(16)}`
}
