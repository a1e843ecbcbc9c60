import { type Address, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { ADDRESS_SCHEMA, type Schema } from '../schema.ts'

/** A chain with the contracts that tokenized stocks stand on (spec-facts 3.3), as it is sent. */
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
    chain_id: { type: 'string', format: 'uint64', pattern: '^[0-9]+$' },
    chain: { type: 'string', description: 'name of the chain' },
    policy_registry_address: { ...ADDRESS_SCHEMA, description: 'the zero address: there is none' },
    token_supply_manager_address: { ...ADDRESS_SCHEMA, description: 'the zero address: there is none' },
    token_factory_address: { ...ADDRESS_SCHEMA, description: 'makes stocks; the zero address: there is none' },
  },
  required: ['chain_id', 'chain', 'policy_registry_address', 'token_supply_manager_address', 'token_factory_address'],
  additionalProperties: false,
}

/** A chain of ours: its tokens hold their own policies, and whoever has the role mints. */
export function chainEntry(chainId: bigint, chain: string, factory: Address | undefined): ChainEntry {
  return {
    chain_id: chainId.toString(),
    chain,
    policy_registry_address: ZERO_ADDRESS,
    token_supply_manager_address: ZERO_ADDRESS,
    token_factory_address: factory ?? ZERO_ADDRESS,
  }
}
