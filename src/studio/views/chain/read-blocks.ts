import type { NodeRequests } from '../../../live/http-rpc.ts'
import { type BlockObject, blockObject } from '../../model/chain-objects.ts'

/** Blocks on one page. */
export const PAGE = 40

/**
 * Reads a page of blocks, newest first. Chains may have five blocks a second, so blocks that are known are read again
 * only when the new ones do not continue them.
 *
 * @param from height of the first one; `undefined`: the newest
 * @param known the result of an earlier read
 */
export async function readBlocks(
  node: NodeRequests,
  from: number | undefined,
  known: readonly BlockObject[],
): Promise<readonly BlockObject[]> {
  const head = await readBlock(node, from)
  if (head === undefined) return []
  const lowest = Math.max(0, head.number - PAGE + 1)
  const kept = known.filter(({ number }) => number >= lowest && number < head.number)
  const added = await readRange(node, (kept[0]?.number ?? lowest - 1) + 1, head.number - 1)
  const newest = [head, ...added]
  const isContinued = newest.at(-1)!.parentHash === kept[0]?.hash
  const current = isContinued ? [...newest, ...kept] : newest
  return [...current, ...(await readRange(node, lowest, current.at(-1)!.number - 1))]
}

/** Newest first. */
async function readRange(node: NodeRequests, first: number, last: number): Promise<readonly BlockObject[]> {
  const heights = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => last - index)
  const blocks = await Promise.all(heights.map((height) => readBlock(node, height)))
  return blocks.flatMap((block) => block ?? [])
}

async function readBlock(node: NodeRequests, height: number | undefined): Promise<BlockObject | undefined> {
  const id = height === undefined ? 'latest' : `0x${height.toString(16)}`
  return blockObject(await node.request('eth_getBlockByNumber', [id, false]))
}
