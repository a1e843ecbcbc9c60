import type { LogMatch, LogQuery } from '../../chain/receipt/log-query.ts'
import { readLoaded } from '../../node/view/loaded-reads.ts'
import type { View } from '../../node/view/view.ts'
import type { ReadLogs } from './chain-source.ts'

/** Logs between two pauses. */
const LOGS_PER_PAUSE = 256

interface Search {
  readonly query: LogQuery
  readonly from: number
  readonly to: number
}

/**
 * Logs of the chain of a node (`ChainReads.logs`). Where another node has the lower blocks (fork mode), it is asked
 * once for all of them: public nodes refuse millions of blocks, and asking in parts could take hours.
 *
 * @param pause awaited every few hundred logs
 */
export async function readNodeLogs(view: View, search: Search, pause: () => Promise<void>): Promise<ReadLogs> {
  const { below, oldestBlock } = view.head.base
  const { query, to } = search
  const lower = below !== undefined && search.from <= below.number ? await logsBelow(view, search) : undefined
  const logs: LogMatch[] = [...(lower ?? [])]
  const own = Math.max(search.from, below === undefined ? oldestBlock : below.number + 1)
  if (own <= to) {
    for (const log of view.logs(query, own, to)) {
      logs.push(log)
      if (logs.length % LOGS_PER_PAUSE === 0) await pause()
    }
  }
  return { logs, since: lower === undefined ? own : search.from }
}

/** `undefined`: the other node does not answer for the whole range. */
async function logsBelow(view: View, { query, from, to }: Search): Promise<readonly LogMatch[] | undefined> {
  const below = view.head.base.below!
  try {
    return await readLoaded(view, () => below.logs(query, from, Math.min(to, below.number), false))
  } catch (error) {
    if (isForkFailure(error)) return undefined
    throw error
  }
}

/** Whether the node on whose chain this one is forked failed; the message of such an error contains no keys. */
export function isForkFailure(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('FORK_')
}
