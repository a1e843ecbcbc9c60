import { blockEnv } from '../../engine/block/block-env.ts'
import type { BlockOverrides } from '../../engine/call/block-overrides.ts'
import { overrideBlockEnv } from '../../engine/call/block-overrides.ts'
import { type CallRequest, envWithoutUnofferedFee } from '../../engine/call/call-message.ts'
import { overriddenState, resolveOverrides, type StateOverrides } from '../../engine/call/state-overrides.ts'
import type { BlockEnv } from '../../engine/types.ts'
import type { BlockReference } from '../../node/core/block-reference.ts'
import { type ReadContext, requireHeaderAndState, type State } from '../context.ts'
import { callError } from '../errors.ts'

const NO_STATE_OVERRIDES: StateOverrides = new Map()

/**
 * The environment and the state in which a call runs: those of a block, also of the open one, with overrides applied.
 *
 * @param request in dialect `ethereum` its fees decide which base fee it sees
 * @param within a state inside the block, instead of that after it
 * @throws RpcError `header not found`, or an invalid override
 */
export function callSite(
  context: ReadContext,
  request: CallRequest,
  reference: BlockReference,
  accounts: StateOverrides = NO_STATE_OVERRIDES,
  blockOverrides?: BlockOverrides,
  within?: State,
) {
  const { engine, config, options } = context
  const after = requireHeaderAndState(context, reference)
  const { header } = after
  const state = within ?? after.state
  const ofBlock = blockEnv(header, config)
  const blocks = blockOverrides === undefined ? ofBlock : overrideBlockEnv(ofBlock, blockOverrides, config)
  const env = callEnv(blocks, request, options)
  const resolved = resolveOverrides(accounts, state, engine.precompiles(env))
  if (resolved.kind === 'refused') throw callError({ kind: 'overrides', error: resolved.error })
  return { env, state: overriddenState(state, resolved.diff), movedPrecompiles: resolved.movedPrecompiles }
}

/** What a call sees as base fee: go-ethereum shows 0 unless a fee is offered, Hardhat always. */
function callEnv(env: BlockEnv, request: CallRequest, { dialect, compat }: ReadContext['options']): BlockEnv {
  if (compat === 'hardhat') return { ...env, baseFee: 0n }
  return dialect === 'ethereum' ? envWithoutUnofferedFee(env, request) : env
}
