import type { Block } from '../../../chain/block/block.ts'
import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import type { Receipt } from '../../../chain/receipt/receipt.ts'
import type { RecoveredTransaction } from '../../../chain/transaction/transaction.ts'
import { BlockBuilder } from '../../../engine/block/build-block.ts'
import type { Engine } from '../../../engine/types.ts'
import { ForkError } from '../../../fork/source/fork-error.ts'
import type { Bytes, Hash } from '../../../primitives/hex.ts'
import { type PayloadChoices, type PayloadRefusal, planPayload } from '../../development/payload-plan.ts'
import type { View } from '../../view/view.ts'
import type { RefusedTransaction } from './candidate-outcome.ts'
import { addExactly, fillFromPool } from './pool-filling.ts'

/** A block that could follow `parent`, with its data for the consensus layer. */
export interface Payload {
  readonly block: Block
  readonly receipts: readonly Receipt[]
  /** As submitted, including blob sidecars. */
  readonly transactions: readonly RecoveredTransaction[]
  /** EIP-7685, each prefixed by its type. */
  readonly requests: readonly Bytes[]
}

export type PayloadResult =
  | { readonly kind: 'built'; readonly payload: Payload }
  | { readonly kind: 'refused'; readonly refusal: PayloadRefusal }

export interface PayloadRequest extends PayloadChoices {
  readonly parent: Hash
}

export interface PayloadDeps {
  readonly view: View
  readonly config: ChainConfig
  readonly engine: Engine
  /** Awaited between pool transactions; `false`: no further one is added. */
  readonly mayContinue: () => boolean | Promise<boolean>
}

/** Builds a layer-1 block for tests, without changing chain or pool. */
export async function buildPayload(request: PayloadRequest, deps: PayloadDeps): Promise<PayloadResult> {
  const { view, config, engine } = deps
  const parent = view.block({ kind: 'hash', hash: request.parent, requireCanonical: false })
  const state = parent && view.stateOf(parent)
  const trie = parent && view.trieOf(parent)
  if (parent === undefined || state === undefined || trie === undefined) return refused({ code: 'UNKNOWN_PARENT' })
  const plan = planPayload(parent.block, request, config)
  if ('code' in plan) return refused(plan)
  const builder = await BlockBuilder.open(plan.attributes, { engine, state, trie })
  try {
    const { transactions } = plan
    const refusedOne = transactions && (await addExactly(builder, transactions))
    if (refusedOne !== undefined) return refused(transactionRefusal(refusedOne))
    return await finish(builder, transactions ?? (await fillFromPool(builder, { ...deps, state })))
  } finally {
    builder.close()
  }
}

async function finish(builder: BlockBuilder, transactions: readonly RecoveredTransaction[]): Promise<PayloadResult> {
  const fault = await builder.complete()
  if (fault !== undefined) return refused({ code: 'INVALID_BLOCK', fault })
  const { block, receipts } = builder.flashblock()
  return { kind: 'built', payload: { block, receipts, transactions, requests: builder.requests } }
}

/** Why a payload cannot have a transaction. */
export function transactionRefusal({ index, hash, error }: RefusedTransaction): PayloadRefusal {
  if (error instanceof ForkError) return { code: 'STATE_NOT_LOADED', error }
  return { code: 'INVALID_TRANSACTION', index, hash, error }
}

function refused(refusal: PayloadRefusal): PayloadResult {
  return { kind: 'refused', refusal }
}
