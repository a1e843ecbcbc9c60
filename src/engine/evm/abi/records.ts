// Layout of the records that TypeScript and AssemblyScript both read: byte offsets from the start of a record in the
// module's memory. Both languages compile this file, so it holds `export const NAME: type = number` only;
// `check-abi.ts` compares it with what the loaded module was built from.

// Account. "Journaled" members are restored when a frame reverts.

/** Address as the low 160 bits of a word; 24 bytes are stored. */
export const ACCOUNT_ADDRESS: usize = 0
/** Word; journaled with the nonce. */
export const ACCOUNT_BALANCE: usize = 24
export const ACCOUNT_NONCE: usize = 56
/** 32 bytes in hash order, not a word; journaled with the two members after it. */
export const ACCOUNT_CODE_HASH: usize = 64
/** Pointer to the code record, 0 until it is loaded. */
export const ACCOUNT_CODE: usize = 96
export const ACCOUNT_HAS_CODE: usize = 100
/** Journaled with all members up to `ACCOUNT_IS_ALWAYS_WARM`. */
export const ACCOUNT_EXISTS: usize = 104
/** Slots of another generation read as zero: the storage was cleared since. Generation 0 is the storage of the host. */
export const ACCOUNT_GENERATION: usize = 108
/** `..._IN` members hold the number of the transaction for which the statement is true. */
export const ACCOUNT_CREATED_IN: usize = 112
export const ACCOUNT_DESTROYED_IN: usize = 116
export const ACCOUNT_TOUCHED_IN: usize = 120
export const ACCOUNT_WARM_IN: usize = 124
/** Number of the native contract at this address, assigned by the host; 0 for none. */
export const ACCOUNT_PRECOMPILE: usize = 128
export const ACCOUNT_IS_ALWAYS_WARM: usize = 132
/** Record whose code runs for this account instead of its own, assigned by the host (native tokens); 0 for none. */
export const ACCOUNT_NATIVE: usize = 136
/** Whether `ACCOUNT_NATIVE` applies only while the account's code is the marker 0xef. */
export const ACCOUNT_NEEDS_MARKER: usize = 140
// Not journaled.
export const ACCOUNT_LISTED_IN: usize = 144
export const ACCOUNT_NEXT_LISTED: usize = 148
export const ACCOUNT_IS_DIRTY: usize = 152
export const ACCOUNT_NEXT_DIRTY: usize = 156
export const ACCOUNT_FIRST_SLOT: usize = 160
/** State as of the last diff. */
export const ACCOUNT_EXISTED: usize = 164
export const ACCOUNT_GENERATION_BEFORE: usize = 168
/** Whether the host has storage for this account (EIP-7610): 0 until known, then `HOST_STORAGE_EMPTY` or `_USED`. */
export const ACCOUNT_HOST_STORAGE: usize = 172
export const HOST_STORAGE_EMPTY: u32 = 1
export const HOST_STORAGE_USED: u32 = 2
export const ACCOUNT_BALANCE_BEFORE: usize = 176
export const ACCOUNT_NONCE_BEFORE: usize = 208
export const ACCOUNT_CODE_HASH_BEFORE: usize = 216
/** Cold-access entry, see `COLD_LISTED_IN`. */
export const ACCOUNT_COLD: usize = 248
export const ACCOUNT_SIZE: usize = 256

// Storage slot.

export const SLOT_KEY: usize = 0
/** Word; journaled with the two members after it. */
export const SLOT_VALUE: usize = 32
export const SLOT_GENERATION: usize = 64
export const SLOT_WARM_IN: usize = 68
// Not journaled.
export const SLOT_ACCOUNT: usize = 72
/** Whether the value is known: an access list warms a slot without loading it. */
export const SLOT_IS_LOADED: usize = 76
/** Value at the start of the transaction (EIP-2200), once it was needed. */
export const SLOT_ORIGINAL: usize = 80
export const SLOT_ORIGINAL_IN: usize = 112
export const SLOT_IS_DIRTY: usize = 116
export const SLOT_NEXT_DIRTY: usize = 120
export const SLOT_NEXT_OF_ACCOUNT: usize = 124
/** Value as of the last diff. */
export const SLOT_VALUE_BEFORE: usize = 128
/** Cold-access entry, see `COLD_LISTED_IN`. */
export const SLOT_COLD: usize = 160
export const SLOT_SIZE: usize = 176

// Cold-access entry inside an account or slot record: the transaction that listed it and the record listed before.

export const COLD_LISTED_IN: usize = 0
export const COLD_PREVIOUS: usize = 4

// Code record. The first member is the hash (32 bytes).

export const CODE_LENGTH: usize = 32
/** Pointer to the table of jump destinations, one byte a byte of code; 0 until the code runs. */
export const CODE_JUMPDESTS: usize = 36
/** One of the kinds below. */
export const CODE_KIND: usize = 40
export const ORDINARY_CODE: u32 = 0
/** EIP-7702 */
export const DELEGATION: u32 = 1
/** The single byte 0xef, which native tokens have. */
export const MARKER: u32 = 2
/** Mark of a live record while the cache is swept; next free record of the same size class otherwise. */
export const CODE_LINK: usize = 44
/** Session that deployed the code, and session whose diff included it; journaled. */
export const CODE_NEW_IN: usize = 48
export const CODE_DIFFED_IN: usize = 52
// Not journaled.
export const CODE_LISTED_IN: usize = 88
export const CODE_NEXT_NEW: usize = 92
/** First byte of the code. */
export const CODE_BYTES: usize = 96
/** Zero bytes behind the code: an implicit STOP, and the operand of a PUSH at the end. */
export const CODE_PADDING: usize = 64

// Log. Topics and data follow as bytes.

export const LOG_PREVIOUS: usize = 0
/** Account record; 0 for a log that stands for a value transfer (`eth_simulateV1`). */
export const LOG_EMITTER: usize = 4
export const LOG_TOPIC_COUNT: usize = 8
export const LOG_DATA_SIZE: usize = 12
/** Position among all logs of the message, those of reverted frames included. */
export const LOG_INDEX: usize = 16
export const LOG_CONTENT: usize = 20

// Block and message environment: one word (32 bytes) each.

export const ENV_COINBASE: usize = 0
export const ENV_TIMESTAMP: usize = 32
export const ENV_NUMBER: usize = 64
export const ENV_PREVRANDAO: usize = 96
export const ENV_GAS_LIMIT: usize = 128
export const ENV_CHAIN_ID: usize = 160
export const ENV_BASE_FEE: usize = 192
export const ENV_BLOB_BASE_FEE: usize = 224
export const ENV_ORIGIN: usize = 256
export const ENV_GAS_PRICE: usize = 288
export const ENV_SIZE: usize = 320
