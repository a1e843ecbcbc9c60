import { stateWithin } from '../../engine/trace/trace-block.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import { type ReadContext, requireBlockAndState, type State } from '../context/reading.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { replayOf } from './tracing.ts'

/** The state before a transaction of the block; `undefined`: the state after the block. */
export async function stateBefore(
  context: ReadContext,
  reference: BlockReference,
  index: number | undefined,
  mayContinue: Parameters<typeof stateWithin>[3],
): Promise<State | undefined> {
  if (index === undefined) return undefined
  const { block } = requireBlockAndState(context, reference).block
  const count = block.transactions.length
  if (index >= count) {
    throw new RpcError(RPC_CODES.server, `transaction index ${index} out of range: the block has ${count}`)
  }
  return stateWithin(context.engine, replayOf(context, block), index, mayContinue)
}
