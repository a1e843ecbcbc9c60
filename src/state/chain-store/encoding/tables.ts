import type { LmdbStoreOptions } from '../../../storage/lmdb/lmdb-store.ts'
import { REPLACEMENTS_KEY } from './metadata-keys.ts'

/**
 * Version of the tables. Raise it when the form of a key or value changes, here or in `encoding/`: an older program
 * then refuses the directory instead of misreading it.
 */
export const SCHEMA_VERSION = 1

/**
 * Numbers in keys are big-endian u64, so that they sort as numbers; `~n` is 2^64 - 1 - n, which sorts the newest first.
 */
interface TableDefinition {
  readonly key: string
  readonly value: string
}

/** Every table in LMDB, with the layout of its keys and values. */
const TABLES = {
  metadata: {
    key: 'name of the item (`metadata-keys.ts`)',
    value: 'by item',
  },
  headers: { key: 'block number', value: 'CRC-32, hash (32), header as RLP' },
  bodies: { key: 'block number', value: 'CRC-32, transactions with senders, uncles and withdrawals as RLP' },
  receipts: { key: 'block number', value: 'CRC-32, receipts without their logs as RLP' },
  logs: {
    key: 'block number, position in the block / 4 (u32)',
    value: 'CRC-32, up to 4 logs with their transactions as RLP',
  },
  blockNumbers: { key: 'block hash', value: 'block number' },
  transactionPlaces: { key: 'transaction hash', value: 'block number, index (u32)' },
  accounts: { key: 'address', value: 'account at the tip' },
  storage: { key: 'address, slot', value: 'word at the tip, without leading zeros; zero is absent' },
  code: { key: 'code hash', value: 'code' },
  accountHistory: {
    key: 'address, ~block; on a fork also address, zero byte, ~block',
    value: 'account after the block; empty: none; with the zero byte: the block cleared the storage',
  },
  storageHistory: { key: 'address, slot, ~block', value: 'word after the block; empty: zero' },
  changes: { key: 'block number', value: 'CRC-32, keys changed by the block, with the values before it, as RLP' },
  preludes: {
    key: 'block number',
    value: 'CRC-32, state changes from outside between the parent and the block, as RLP; most blocks have none',
  },
  trieNodes: { key: 'zero byte, path (an account trie, or a hashed address and its storage trie)', value: 'nodes' },
  logPostings: {
    key: 'term (0 and address, or 1 + position and topic), block number; 5, token and recipient of ERC-20 transfers; 5',
    value:
      'positions of the logs in the block: distances in LEB128; with 5: block of the first transfer; with 5 alone: the first block with such entries, hash of the newest one',
  },
} as const satisfies Readonly<Record<string, TableDefinition>>

export type TableName = keyof typeof TABLES

export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[]

/** Damaged entries of these tables concern single blocks: a node runs on without them. */
const EXPENDABLE_TABLES: readonly TableName[] = ['bodies', 'receipts', 'logs']

/** What opens the tables of a chain. A replica that takes over another chain replaces all but the metadata. */
export const CHAIN_TABLES = {
  tables: TABLE_NAMES,
  expendable: EXPENDABLE_TABLES,
  replaceable: {
    tables: TABLE_NAMES.filter((name) => name !== 'metadata'),
    counter: { table: 'metadata', key: REPLACEMENTS_KEY },
  },
} as const satisfies Partial<LmdbStoreOptions<TableName>>
