import { encodeHeader, hashHeader } from '../../chain/block/header-codec.ts'
import type { AccountProof } from '../../node/tools/read-proof/recorded-state.ts'
import { formatDecimal, nearestDouble } from '../../primitives/decimal.ts'
import { type Address, bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { MULTIPLIER_DECIMALS } from '../../primitives/stocks/split-ratio.ts'
import { ADDRESS_SCHEMA, DOUBLE_SCHEMA, EXACT_DECIMAL_SCHEMA, HASH_SCHEMA, type Schema } from '../http/schema.ts'
import type { Proven } from '../tokenized-stocks/chain-source.ts'
import type { TokenSupply } from '../tokenized-stocks/token-reads.ts'

/** Supply and multiplier of a token, with 18 decimals. */
export interface ProvenSupply extends TokenSupply {
  readonly multiplier: bigint
}

/**
 * A supply with the proof of everything that the calls of the token read. The document is a function of the block, the
 * rules and the token: a verifier makes it again from its own proofs and compares.
 */
export function supplyProof(token: Address, { value, header, rules, accounts }: Proven<ProvenSupply>) {
  const { totalSupply, decimals, multiplier } = value
  const { chainId, fork, upgrade } = rules
  return {
    contract_address: token,
    total_supply: nearestDouble(totalSupply, decimals),
    total_supply_exact: formatDecimal(totalSupply, decimals),
    decimals,
    multiplier: nearestDouble(multiplier, MULTIPLIER_DECIMALS),
    multiplier_exact: formatDecimal(multiplier, MULTIPLIER_DECIMALS),
    rules: { chain_id: String(chainId), fork, ...(upgrade !== undefined && { upgrade }) },
    block: { number: header.number, hash: hashHeader(header), header: bytesToHex(encodeHeader(header)) },
    accounts: accounts.map(accountRecord),
  }
}

export type SupplyProof = ReturnType<typeof supplyProof>

function accountRecord({ address, proof, code, storage }: AccountProof) {
  return {
    address,
    proof: proof.map(bytesToHex),
    code: bytesToHex(code),
    storage: storage.map((slot) => ({
      slot: slot.slot,
      value: toQuantity(slot.value),
      proof: slot.proof.map(bytesToHex),
    })),
  }
}

const HEX: Schema = { type: 'string', pattern: '^0x([0-9a-f]{2})*$' }
const NODES: Schema = { type: 'array', items: HEX, description: 'trie nodes from the root on (EIP-1186)' }

function record(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required, additionalProperties: false }
}

const SLOT_PROOF = record({ slot: HASH_SCHEMA, value: { type: 'string', pattern: '^0x[0-9a-f]{1,64}$' }, proof: NODES })
const ACCOUNT_PROOF = record({
  address: ADDRESS_SCHEMA,
  proof: NODES,
  code: { ...HEX, description: 'empty without code' },
  storage: { type: 'array', items: SLOT_PROOF },
})

export const SUPPLY_PROOF_SCHEMA = record({
  contract_address: ADDRESS_SCHEMA,
  total_supply: { ...DOUBLE_SCHEMA, description: 'token units: supply over 10^decimals' },
  total_supply_exact: { ...EXACT_DECIMAL_SCHEMA, description: 'all digits of total_supply' },
  decimals: { type: 'integer', format: 'int64', minimum: 0, maximum: 255 },
  multiplier: { ...DOUBLE_SCHEMA, description: 'shares per token, as the contract returns it; 1 without one' },
  multiplier_exact: { ...EXACT_DECIMAL_SCHEMA, description: 'all digits of multiplier' },
  rules: {
    ...record(
      {
        chain_id: { type: 'string', pattern: '^[0-9]+$' },
        fork: { type: 'string', description: 'fork of Ethereum' },
        upgrade: { type: 'string', description: 'upgrade of the OP stack or Base; absent on other chains' },
      },
      ['upgrade'],
    ),
    description: 'rules by which the contracts of the block run',
  },
  block: {
    ...record({ number: { type: 'integer', format: 'int64', minimum: 0 }, hash: HASH_SCHEMA, header: HEX }),
    description: 'the sealed block; its hash is the keccak-256 of the header, which is in RLP',
  },
  accounts: {
    type: 'array',
    items: ACCOUNT_PROOF,
    description: 'every account that the calls read, with code, slots and proofs under the state root of the header',
  },
})

/** Example for the documentation. */
export const EXAMPLE_SUPPLY_PROOF = {
  contract_address: '0x5700000000000000000000000000000000000002',
  total_supply: 2_500_000.125,
  total_supply_exact: '2500000.125',
  decimals: 6,
  multiplier: 1,
  multiplier_exact: '1',
  rules: { chain_id: '31337', fork: 'osaka' },
  block: { number: 42, hash: `0x${'ab'.repeat(32)}`, header: '0xf902' },
  accounts: [
    {
      address: '0x5700000000000000000000000000000000000002',
      proof: ['0xf90211'],
      code: '0x6080',
      storage: [{ slot: `0x${'0c'.repeat(32)}`, value: '0x246139ca848', proof: ['0xf901'] }],
    },
  ],
}
