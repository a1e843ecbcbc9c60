import type { Address, Hash } from '../primitives/hex.ts'

/** Root of an empty trie: keccak-256 of the RLP of an empty string. */
export const EMPTY_TRIE_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421' as Hash
/** keccak-256 of the RLP of an empty list. */
export const EMPTY_UNCLES_HASH = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347' as Hash
/** SHA-256 of an empty string: a block without requests (EIP-7685), as every layer-2 block is. */
export const EMPTY_REQUESTS_HASH = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' as Hash

/** Caller of system calls (EIP-4788, EIP-2935, EIP-7002, EIP-7251). */
export const SYSTEM_ADDRESS = '0xfffffffffffffffffffffffffffffffffffffffe' as Address
/** EIP-4788 */
export const BEACON_ROOTS_ADDRESS = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02' as Address
/** EIP-2935 */
export const HISTORY_STORAGE_ADDRESS = '0x0000f90827f1c53a10cb7a02335b175320002935' as Address
/** EIP-7002 */
export const WITHDRAWAL_REQUESTS_ADDRESS = '0x00000961ef480eb55e80d19ad83579a64c007002' as Address
/** EIP-7251 */
export const CONSOLIDATION_REQUESTS_ADDRESS = '0x0000bbddc7ce488642fb579f8b00f3a590007251' as Address

/** L1 values and fee parameters, set by the first transaction of each block (OP-stack specs: L1 attributes). */
export const L1_BLOCK_ADDRESS = '0x4200000000000000000000000000000000000015' as Address
/** Its storage root is the `withdrawalsRoot` of a layer-2 header (OP-stack specs: Isthmus). */
export const MESSAGE_PASSER_ADDRESS = '0x4200000000000000000000000000000000000016' as Address
export const SEQUENCER_FEE_VAULT_ADDRESS = '0x4200000000000000000000000000000000000011' as Address
export const BASE_FEE_VAULT_ADDRESS = '0x4200000000000000000000000000000000000019' as Address
export const L1_FEE_VAULT_ADDRESS = '0x420000000000000000000000000000000000001a' as Address
export const OPERATOR_FEE_VAULT_ADDRESS = '0x420000000000000000000000000000000000001b' as Address

/** Maximum gas limit of a transaction from Osaka on (EIP-7825). */
export const TRANSACTION_GAS_CAP = 16_777_216n
/** Lifts the cap of EIP-7825: the gas limit of the block bounds that of a transaction. */
export const NO_TRANSACTION_GAS_CAP = 2n ** 64n - 1n
/** Maximum size of code, in bytes (EIP-170). */
export const MAX_CODE_SIZE = 24_576
/** The largest limit that a chain can have instead: none in effect. */
export const UNLIMITED_CODE_SIZE = 0x7fff_ffff
export const GAS_PER_BLOB = 131_072
