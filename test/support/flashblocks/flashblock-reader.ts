import { brotliDecompressSync } from 'node:zlib'
import { type Hex, hexToBytes, isHexBytes, toAddress, toHash } from '../../../src/primitives/hex.ts'
import { MAX_UINT64, MAX_UINT256 } from '../../../src/primitives/quantity.ts'
import type { Flashblock, FlashblockBase, FlashblockDiff } from './flashblock.ts'
import {
  type FieldFault,
  fieldsOf,
  hexField,
  InvalidField,
  integerField,
  itemsOf,
  optional,
  quantityField,
  safeQuantityField,
} from './message-fields.ts'

/** Why bytes are not a flashblock. */
export type ReadFault =
  /** The message exceeds the size limit, compressed or decompressed. */
  | { readonly code: 'TOO_LARGE'; readonly message: string }
  /** Neither JSON text nor JSON compressed with Brotli. */
  | { readonly code: 'UNREADABLE'; readonly message: string }
  | FieldFault

export type ReadResult =
  | { readonly kind: 'flashblock'; readonly flashblock: Flashblock }
  | { readonly kind: 'refused'; readonly fault: ReadFault }

/** A block of 400 million gas has at most 80 MB of hex (10 gas per zero byte, EIP-7623). */
const MAX_BYTES = 256 * 1024 * 1024
const BRACE = 0x7b
/** Whitespace that may precede JSON (RFC 8259). */
const BLANKS = [0x20, 0x09, 0x0a, 0x0d]

/**
 * Decodes a message of a flashblock feed. As in other readers, bytes that are UTF-8 and begin with `{` are JSON, and
 * all others are JSON compressed with Brotli. Additional members are ignored: those of older publishers (receipts,
 * balances and access lists in the metadata, a `base` of null) and any of newer ones. The members of a block must be
 * present and well-formed.
 *
 * @param options.maxBytes maximum bytes of the JSON text; default: 256 MiB
 * @example readFlashblock(Buffer.from(text)) // { kind: 'flashblock', flashblock }
 */
export function readFlashblock(bytes: Uint8Array, { maxBytes = MAX_BYTES } = {}): ReadResult {
  const text = textOf(bytes, maxBytes)
  if (typeof text !== 'string') return { kind: 'refused', fault: text }
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch (error) {
    return refused({ code: 'UNREADABLE', message: `a message is not JSON: ${reasonOf(error)}` })
  }
  try {
    return { kind: 'flashblock', flashblock: decodeFlashblock(message) }
  } catch (error) {
    if (error instanceof InvalidField) return refused(error.fault)
    throw error
  }
}

function refused(fault: ReadFault): ReadResult {
  return { kind: 'refused', fault }
}

function textOf(bytes: Uint8Array, maxBytes: number): string | ReadFault {
  if (bytes.length > maxBytes) return tooLarge(maxBytes)
  const first = bytes.find((byte) => !BLANKS.includes(byte))
  const plain = first === BRACE ? utf8(bytes) : undefined
  if (plain !== undefined) return plain
  try {
    const unpacked = utf8(brotliDecompressSync(bytes, { maxOutputLength: maxBytes }))
    return unpacked ?? { code: 'UNREADABLE', message: 'a message is Brotli, but of something that is not UTF-8' }
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(maxBytes)
    return { code: 'UNREADABLE', message: `a message is neither JSON nor Brotli: ${reasonOf(error)}` }
  }
}

function tooLarge(maxBytes: number): ReadFault {
  return { code: 'TOO_LARGE', message: `a message has more than ${maxBytes} bytes` }
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** @throws InvalidField */
function decodeFlashblock(message: unknown): Flashblock {
  const fields = fieldsOf(message, '')
  const index = integerField(fields, 'index')
  const base = optional(fields, 'base')
  if (index === 0 && base === undefined) throw new InvalidField('MISSING', 'base', 'index 0 carries it')
  if (index > 0 && base !== undefined) throw new InvalidField('INVALID', 'base', 'only index 0 carries it')
  return {
    payloadId: hexField(fields, 'payload_id', 8).toLowerCase() as Hex,
    number: integerField(fieldsOf(fields.value('metadata'), 'metadata'), 'block_number'),
    index,
    ...(base !== undefined && { base: decodeBase(base) }),
    diff: decodeDiff(fields.value('diff')),
  }
}

function decodeBase(value: unknown): FlashblockBase {
  const fields = fieldsOf(value, 'base')
  return {
    parentBeaconBlockRoot: toHash(hexField(fields, 'parent_beacon_block_root', 32)),
    parentHash: toHash(hexField(fields, 'parent_hash', 32)),
    miner: toAddress(hexField(fields, 'fee_recipient', 20)),
    mixHash: toHash(hexField(fields, 'prev_randao', 32)),
    number: safeQuantityField(fields, 'block_number'),
    gasLimit: quantityField(fields, 'gas_limit', MAX_UINT64),
    timestamp: quantityField(fields, 'timestamp', MAX_UINT64),
    extraData: hexToBytes(hexField(fields, 'extra_data')),
    baseFeePerGas: quantityField(fields, 'base_fee_per_gas', MAX_UINT256),
  }
}

function decodeDiff(value: unknown): FlashblockDiff {
  const fields = fieldsOf(value, 'diff')
  // Layer-2 blocks have none; the header has the root in any case.
  itemsOf(fields, 'withdrawals')
  return {
    stateRoot: toHash(hexField(fields, 'state_root', 32)),
    receiptsRoot: toHash(hexField(fields, 'receipts_root', 32)),
    logsBloom: hexToBytes(hexField(fields, 'logs_bloom', 256)),
    gasUsed: safeQuantityField(fields, 'gas_used'),
    blockHash: toHash(hexField(fields, 'block_hash', 32)),
    transactions: itemsOf(fields, 'transactions').map((item, position) => {
      if (isHexBytes(item) && item.length > 2) return hexToBytes(item)
      throw new InvalidField('INVALID', `diff.transactions[${position}]`, 'not bytes in hex')
    }),
    withdrawalsRoot: toHash(hexField(fields, 'withdrawals_root', 32)),
    ...(optional(fields, 'blob_gas_used') !== undefined && { blobGasUsed: safeQuantityField(fields, 'blob_gas_used') }),
  }
}
