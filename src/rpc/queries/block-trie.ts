import { hasProofs, oldTrieSteps } from '../../node/view/old-tries.ts'
import type { BlockView, View } from '../../node/view/view.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import type { ReadContext } from '../context/reading.ts'
import { runWithinTime } from '../context/steps.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'

export type Trie = NonNullable<ReturnType<View['trieOf']>>

/**
 * The state trie after a block. That of an old block is computed in steps.
 *
 * @throws RpcError when the block is too old for proofs, or computing its trie takes too long
 */
export function requireTrie(context: ReadContext, block: BlockView): MaybePromise<Trie> {
  return context.view.trieOf(block) ?? oldTrie(context, block)
}

async function oldTrie(context: ReadContext, block: BlockView): Promise<Trie> {
  const { view, options } = context
  const { header } = block.block
  if (block.status === 'superseded') {
    const message =
      'header not found: an earlier flashblock of the open block has no proofs; name pending, or its newest hash'
    throw new RpcError(RPC_CODES.server, message)
  }
  const fork = view.head.base.below?.number
  if (fork !== undefined && header.number < fork) {
    const message = `this node has no proofs of blocks below its fork block ${fork}: ask the node that it forks`
    throw new RpcError(RPC_CODES.server, message)
  }
  if (!hasProofs(view, header, options.proofWindowSeconds)) {
    throw new RpcError(
      RPC_CODES.server,
      `distance to target block exceeds maximum proof window of ${options.proofWindowSeconds} seconds (--proof-window)`,
    )
  }
  return runWithinTime(oldTrieSteps(view, block), context)
}
