import { type Bytes, bytesToHex } from '../../../primitives/hex.ts'
import { groupIn, heightIn, historyHeightIn } from './keys.ts'
import { LOGS_PER_GROUP } from './log-values.ts'
import type { TableName } from './tables.ts'

const HEIGHT = 8
const ADDRESS = 20
const WORD = 32

/** Describes an entry for error messages: `account 0x… after block 7`. A malformed key is given in hex. */
export function describeKey(table: TableName, key: Bytes): string {
  return descriptionOf(table, key) ?? `key ${bytesToHex(key)}`
}

function descriptionOf(table: TableName, key: Bytes): string | undefined {
  const { length } = key
  switch (table) {
    case 'metadata':
      return `item ${JSON.stringify(Buffer.from(key).toString('latin1'))}`
    case 'headers':
    case 'bodies':
    case 'receipts':
    case 'changes':
    case 'preludes':
      return length === HEIGHT ? `block ${heightIn(key)}` : undefined
    case 'logs': {
      if (length !== HEIGHT + 4) return undefined
      const first = groupIn(key) * LOGS_PER_GROUP
      return `block ${heightIn(key)}, logs ${first} to ${first + LOGS_PER_GROUP - 1}`
    }
    case 'blockNumbers':
      return `block hash ${bytesToHex(key)}`
    case 'transactionPlaces':
      return `transaction ${bytesToHex(key)}`
    case 'code':
      return `code hash ${bytesToHex(key)}`
    case 'accounts':
      return length === ADDRESS ? accountIn(key) : undefined
    case 'storage':
      return length === ADDRESS + WORD ? slotIn(key) : undefined
    case 'accountHistory':
      if (length === ADDRESS + 1 + HEIGHT) return `${accountIn(key)}, cleared by block ${historyHeightIn(key)}`
      return length === ADDRESS + HEIGHT ? `${accountIn(key)} after block ${historyHeightIn(key)}` : undefined
    case 'storageHistory':
      return length === ADDRESS + WORD + HEIGHT ? `${slotIn(key)} after block ${historyHeightIn(key)}` : undefined
    case 'trieNodes':
      return trieNodeIn(key)
    case 'logPostings':
      return postingIn(key)
    default:
      // TypeScript rejects a table without a case here.
      return table satisfies never
  }
}

function accountIn(key: Bytes): string {
  return `account ${bytesToHex(key.subarray(0, ADDRESS))}`
}

function slotIn(key: Bytes): string {
  return `${accountIn(key)}, slot ${bytesToHex(key.subarray(ADDRESS, ADDRESS + WORD))}`
}

/** The key starts with a zero byte before the path (keys.ts); 0x10 starts a storage trie. */
function trieNodeIn(key: Bytes): string {
  const nibbles = (from: number) =>
    `path ${[...key.subarray(from)].map((nibble) => nibble.toString(16)).join('') || '(root)'}`
  if (key[1] !== 0x10) return `account trie, ${nibbles(1)}`
  return `storage trie of hashed address ${bytesToHex(key.subarray(2, 2 + WORD))}, ${nibbles(2 + WORD)}`
}

function holderIn(key: Bytes): string | undefined {
  if (key.length === 1) return 'the range of the index of token holders'
  if (key.length !== 1 + 2 * ADDRESS) return undefined
  return `token ${bytesToHex(key.subarray(1, 1 + ADDRESS))}, holder ${bytesToHex(key.subarray(1 + ADDRESS))}`
}

function postingIn(key: Bytes): string | undefined {
  const [kind] = key
  if (kind === 5) return holderIn(key)
  const isAddress = kind === 0
  const end = 1 + (isAddress ? ADDRESS : WORD)
  if (kind === undefined || kind > 4 || key.length !== end + HEIGHT) return undefined
  const term = bytesToHex(key.subarray(1, end))
  return `${isAddress ? 'address' : `topic ${kind - 1}`} ${term}, block ${heightIn(key, end)}`
}
