import type { Block } from '../../chain/block/block.ts'
import type { Header } from '../../chain/block/header.ts'
import { executionWitness, NoWitnessError } from '../../engine/block/execution-witness.ts'
import { createEngine } from '../../engine/session/create-engine.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import type { View } from '../../node/view/view.ts'
import { type ReadContext, unknownBlock } from '../context/reading.ts'
import { executionWitnessJson } from '../format/execution-witness.ts'
import { EncodedJson } from '../protocol/encoded-json.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { requireTrie } from './block-trie.ts'
import { ResponseSize } from './response-size.ts'

/**
 * The witness of a sealed block, which is executed again.
 *
 * @throws RpcError when the block is unknown, has no witness or is too old, or when the response is too large
 */
export async function executionWitnessResponse(context: ReadContext, reference: BlockReference): Promise<EncodedJson> {
  const { config, mayContinue } = context
  const block = requireWitnessed(context, reference)
  const { number } = block.header
  const parent = parentOf(context, block)
  const size = new ResponseSize(context)
  try {
    const before = { state: parent.state, trie: await requireTrie(context, parent.view) }
    // Two hex digits for each byte.
    const onBytes = (bytes: number) => size.add(2 * bytes)
    const engine = createEngine({ config })
    const witness = await executionWitness(block, before, engine, { mayContinue, onBytes })
    const headers = Array.from({ length: number - witness.oldestBlock }, (_, index) =>
      headerOf(context, witness.oldestBlock + index),
    )
    return new EncodedJson(await executionWitnessJson(witness, headers, context.yieldIfDue))
  } catch (error) {
    if (error instanceof NoWitnessError) throw refused(error.message)
    throw error
  }
}

/** @throws RpcError for a block that is unknown or can have no witness */
function requireWitnessed({ view }: ReadContext, reference: BlockReference): Block {
  const found = view.block(reference)
  if (found === undefined || found.status === 'superseded') throw unknownBlock(view, reference)
  const { number } = found.block.header
  if (found.status !== 'sealed') throw refused(`block ${number} is not sealed: only sealed blocks have a witness`)
  if (number === 0) throw refused('the genesis block has no witness: it has no parent')
  if (view.forkBlock !== undefined) {
    const message = 'no witness: this node forks another one (--fork-url), and has only a part of its state tries'
    throw refused(`${message}; ask a node that has the whole chain`)
  }
  if (isAltered(view, number)) {
    throw refused(`block ${number} has no witness: the state after its parent was changed from outside`)
  }
  return found.block
}

/** Whether development methods changed the state between a sealed block and its parent. */
function isAltered({ head: { base, recent } }: View, number: number): boolean {
  const inMemory = recent.find(({ block }) => block.header.number === number)
  return (inMemory?.prelude ?? base.prelude(number)) !== undefined
}

function parentOf({ view }: ReadContext, { header }: Block) {
  const reference = { kind: 'number', number: header.number - 1 } as const
  const parent = view.block(reference)
  const state = parent && view.stateOf(parent)
  if (parent === undefined || state === undefined) throw unknownBlock(view, reference)
  return { view: parent, state }
}

function headerOf({ view }: ReadContext, number: number): Header {
  const header = view.header({ kind: 'number', number })
  if (header === undefined) throw unknownBlock(view, { kind: 'number', number })
  return header
}

function refused(message: string): RpcError {
  return new RpcError(RPC_CODES.server, message)
}
