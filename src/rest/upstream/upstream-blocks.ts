import type { LogQuery } from '../../chain/receipt/log-query.ts'
import { UpstreamError } from '../../upstream/upstream-failure.ts'
import type { LoggedBlock } from '../stock-events/sealed-blocks.ts'
import { blockCall, blockOf } from './upstream-block.ts'
import type { Deadline, UpstreamClient } from './upstream-client.ts'
import { type SearchedBlocks, searchLogs, type UpstreamLog } from './upstream-logs.ts'

interface Deps {
  readonly client: Pick<UpstreamClient, 'request'>
  readonly deadline: Deadline
}

/**
 * Consecutive sealed blocks with the logs that match any of the queries (`SealedBlocks.read`). Headers and logs come in
 * different requests: each log must be of one of the blocks by its hash.
 *
 * @throws UpstreamError
 */
export async function readUpstreamBlocks(
  range: SearchedBlocks,
  queries: readonly LogQuery[],
  deps: Deps,
): Promise<readonly LoggedBlock[] | undefined> {
  const blocks = await readHeaders(range, deps)
  const newest = blocks?.at(-1)
  if (blocks === undefined || newest === undefined) return undefined
  const target = { block: newest, isOpen: false }
  const found = await Promise.all(queries.map((query) => searchLogs(query, range, target, deps)))
  const logs = new Map(blocks.map(({ hash }) => [hash, new Map<number, UpstreamLog>()]))
  for (const one of found) {
    if (one === 'replaced') return undefined
    if (one instanceof UpstreamError) throw one
    for (const log of one) {
      const ofBlock = logs.get(log.blockHash)
      if (ofBlock === undefined) return undefined
      ofBlock.set(log.logIndex, log)
    }
  }
  return blocks.map((block) => {
    return { ...block, logs: [...logs.get(block.hash)!.values()].sort((a, b) => a.logIndex - b.logIndex) }
  })
}

/** @returns `undefined` unless they are a chain */
async function readHeaders({ from, to }: SearchedBlocks, { client, deadline }: Deps) {
  const references = Array.from({ length: to - from + 1 }, (_, index) => {
    return { kind: 'number', number: from + index } as const
  })
  const replies = await client.request(references.map(blockCall), deadline)
  const blocks: Omit<LoggedBlock, 'logs'>[] = []
  for (const [index, reference] of references.entries()) {
    const block = blockOf(replies[index]!, reference)
    if (block?.parentHash === undefined) return undefined
    if (index > 0 && blocks[index - 1]!.hash !== block.parentHash) return undefined
    blocks.push({ ...block, parentHash: block.parentHash })
  }
  return blocks
}
