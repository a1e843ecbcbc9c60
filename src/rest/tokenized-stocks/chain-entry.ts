import { type Address, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { ADDRESS_SCHEMA, type Schema } from '../http/schema.ts'

/** A chain with its stock contracts, in the response of `/v1/tokenized-stocks/chains`. */
export interface ChainEntry {
  /** A uint64 in decimal. */
  readonly chain_id: string
  readonly chain: string
  readonly policy_registry_address: Address
  readonly token_supply_manager_address: Address
  readonly token_factory_address: Address
}

export const CHAIN_RECORD_SCHEMA: Schema = {
  type: 'object',
  properties: {
    chain_id: { type: 'string', pattern: '^[0-9]+$', description: 'a uint64 in decimal' },
    chain: { type: 'string', description: 'name of the chain' },
    policy_registry_address: { ...ADDRESS_SCHEMA, description: 'zero address when there is none' },
    token_supply_manager_address: { ...ADDRESS_SCHEMA, description: 'zero address when there is none' },
    token_factory_address: { ...ADDRESS_SCHEMA, description: 'creates stocks; zero address when there is none' },
  },
  required: ['chain_id', 'chain', 'policy_registry_address', 'token_supply_manager_address', 'token_factory_address'],
  additionalProperties: false,
}

/** The contracts of a chain that stocks depend on; absent where there are none. */
export interface StockContracts {
  readonly factory?: Address | undefined
  readonly policyRegistry?: Address | undefined
}

/** The entry of a Tickertape chain: tokens have their own mint roles, so there is no supply manager. */
export function chainEntry(chainId: bigint, chain: string, contracts: StockContracts): ChainEntry {
  const { factory, policyRegistry } = contracts
  return {
    chain_id: chainId.toString(),
    chain,
    policy_registry_address: policyRegistry ?? ZERO_ADDRESS,
    token_supply_manager_address: ZERO_ADDRESS,
    token_factory_address: factory ?? ZERO_ADDRESS,
  }
}
