import type { Header } from '../../chain/block/header.ts'
import { blockEnv } from '../../engine/block/block-env.ts'
import type { BlockOverrides } from '../../engine/call/block-overrides.ts'
import { overrideBlockEnv } from '../../engine/call/block-overrides.ts'
import type { CallRequest } from '../../engine/call/call-message.ts'
import { overriddenState, resolveOverrides, type StateOverrides } from '../../engine/call/state-overrides.ts'
import type { BlockEnv } from '../../engine/types.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import type { RpcOptions } from '../context/options.ts'
import { type ReadContext, requireHeaderAndState, type State } from '../context/reading.ts'
import { callError, RPC_CODES, RpcError } from '../protocol/errors.ts'

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
  // A position inside a block is one of the block that the reference names, sealed at `latest`.
  const { header, state } =
    within === undefined
      ? requireHeaderAndState(context, reference)
      : { header: context.view.header(reference)!, state: within }
  const env = callEnv(context, header, request, blockOverrides)
  const resolved = resolveOverrides(accounts, state, context.engine.precompiles(env))
  if (resolved.kind === 'refused') throw callError({ kind: 'overrides', error: resolved.error })
  return { header, env, state: overriddenState(state, resolved.diff), movedPrecompiles: resolved.movedPrecompiles }
}

/** A call with its sender: Hardhat calls from the first account by default. */
export function withDefaultSender(
  request: CallRequest,
  { defaultSender }: Pick<RpcOptions, 'defaultSender'>,
): CallRequest {
  return request.from !== undefined || defaultSender === undefined ? request : { ...request, from: defaultSender }
}

/**
 * The environment of a call on a block, with overrides applied; see `callSite`.
 *
 * @throws RpcError for an override that concerns whole blocks
 */
export function callEnv(
  { config, conventions, options: { dialect } }: Pick<ReadContext, 'config' | 'conventions' | 'options'>,
  header: Header,
  request: CallRequest,
  overrides?: BlockOverrides,
): BlockEnv {
  for (const name of ['beaconRoot', 'withdrawals'] as const) {
    if (overrides?.[name] === undefined) continue
    throw new RpcError(RPC_CODES.server, `block override "${name}" is not supported for this RPC method`)
  }
  const ofBlock = blockEnv(header, config)
  const env = overrides === undefined ? ofBlock : overrideBlockEnv(ofBlock, overrides, config)
  return conventions.calls.environment(env, request, { baseFee: overrides?.baseFeePerGas, dialect })
}
