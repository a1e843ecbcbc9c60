import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { BASE_TIME } from '../../chain/predeploys/op-stack/op-stack-contracts.ts'
import type { Address } from '../../primitives/hex.ts'
import type { NodeConventions } from '../compat/node-conventions.ts'
import { RPC_CODES } from '../protocol/errors.ts'

/**
 * Whether code and storage of an account decide if blocks of the chain are valid: those of BaseTime where Denim is
 * scheduled. A chain that altered them could not be verified or imported any more.
 */
export function isProtected(address: Address, { layer2 }: Pick<ChainConfig, 'layer2'>): boolean {
  return layer2?.denim !== undefined && (address === BASE_TIME.address || address === BASE_TIME.implementation)
}

/** @throws RpcError for a protected account */
export function assertUnprotected(address: Address, config: ChainConfig, conventions: NodeConventions): void {
  if (!isProtected(address, config)) return
  const message =
    `${address} cannot be changed: it holds the time of blocks (BaseTime), which could then not be verified; ` +
    'override its state in eth_call instead'
  throw conventions.refusal({ anvil: [RPC_CODES.invalidParams, message], hardhat: [RPC_CODES.invalidParams, message] })
}
