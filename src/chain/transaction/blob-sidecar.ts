import { createHash } from 'node:crypto'
import { type Bytes, bytesToHex, type Hash } from '../../primitives/hex.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpItem } from '../../primitives/rlp.ts'
import { readBytes, readList, readNumber } from '../rlp-fields.ts'
import type { BlobSidecar, PoolTransaction, SignedTransaction, Transaction } from './transaction.ts'
import { decodeTransaction, withType } from './transaction-codec.ts'
import { TransactionDecodeError } from './transaction-decode-error.ts'
import { PREDICATE_BYTES } from './validity.ts'

/** EIP-7594 */
export const CELLS_PER_BLOB = 128

export const BLOB_TYPE = 3
const BLOB_BYTES = 131_072
const POINT_BYTES = 48
const KZG_VERSION = 0x01

/**
 * Decodes a transaction as sent by a client: a blob transaction may be wrapped with its sidecar (EIP-4844,
 * "Networking").
 *
 * @throws TransactionDecodeError
 * @example decodeSentTransaction(hexToBytes(raw))
 */
export function decodeSentTransaction(raw: Bytes): Transaction {
  const list = raw[0] === BLOB_TYPE ? wrappedItems(raw.subarray(1)) : undefined
  if (list === undefined) return decodeTransaction(raw)
  const transaction = decodeTransaction(withType(BLOB_TYPE, encodeRlp(list[0]!)))
  if (transaction.type !== BLOB_TYPE) return transaction
  try {
    return { ...transaction, sidecar: readSidecar(list) }
  } catch (error) {
    if (error instanceof RlpError) throw new TransactionDecodeError('INVALID_RLP', `rlp: ${error.message}`)
    throw error
  }
}

/** The transaction, itself a list, and the sidecar behind it; `undefined` without a wrapper. */
function wrappedItems(content: Bytes): readonly RlpItem[] | undefined {
  try {
    const item = decodeRlp(content)
    const isWrapped = !(item instanceof Uint8Array) && item[0] !== undefined && !(item[0] instanceof Uint8Array)
    return isWrapped ? item : undefined
  } catch (error) {
    // The plain decoder reports the error.
    if (error instanceof RlpError) return undefined
    throw error
  }
}

/** The bytes of a pooled transaction with its sidecar; without one, those of `raw`. */
export function encodeSentTransaction(transaction: SignedTransaction): Bytes {
  if (transaction.type !== BLOB_TYPE || transaction.sidecar === undefined) return transaction.raw
  const { version, blobs, commitments, proofs } = transaction.sidecar
  const wrapper = version === 0 ? [] : [Uint8Array.of(version)]
  const inner = decodeRlp(transaction.raw.subarray(1))
  return withType(BLOB_TYPE, encodeRlp([inner, ...wrapper, blobs, commitments, proofs]))
}

/** The transaction as included in blocks. */
export function withoutSidecar<T extends Transaction>(transaction: T): T {
  if (transaction.type !== BLOB_TYPE || transaction.sidecar === undefined) return transaction
  const { sidecar: _, ...rest } = transaction
  return rest as T
}

/** Bytes of a pooled transaction with its sidecar and its validity predicates, each counted as the largest one. */
export function sentSize(transaction: PoolTransaction): number {
  const { raw, validity } = transaction
  const size = validity === undefined ? raw.length : raw.length + validity.length * PREDICATE_BYTES
  if (transaction.type !== BLOB_TYPE || transaction.sidecar === undefined) return size
  const { blobs, commitments, proofs } = transaction.sidecar
  return size + blobs.length * BLOB_BYTES + (commitments.length + proofs.length) * POINT_BYTES
}

/**
 * Checks counts, sizes and hashes of a sidecar, not its proofs.
 *
 * @param versions that the chain accepts
 * @returns undefined when valid
 */
export function sidecarFault(
  sidecar: BlobSidecar,
  hashes: readonly Hash[],
  versions: readonly BlobSidecar['version'][],
): string | undefined {
  const { version, blobs, commitments, proofs } = sidecar
  if (!versions.includes(version)) {
    const wanted = versions.map(
      (one) => `${one}: ${one === 1 ? 'a proof per cell (EIP-7594)' : 'a proof per blob (EIP-4844)'}`,
    )
    return `unexpected sidecar version ${version}, want ${wanted.join(' or ')}`
  }
  const count = hashes.length
  if (blobs.length !== count) return `invalid number of ${blobs.length} blobs compared to ${count} blob hashes`
  if (commitments.length !== count) {
    return `invalid number of ${commitments.length} blob commitments compared to ${count} blob hashes`
  }
  const wantedProofs = version === 1 ? count * CELLS_PER_BLOB : count
  if (proofs.length !== wantedProofs) return `invalid number of ${proofs.length} blob proofs, want ${wantedProofs}`
  const wrong = commitments.findIndex((commitment, index) => versionedHash(commitment) !== hashes[index])
  return wrong < 0 ? undefined : `blob ${wrong}: computed hash mismatches transaction one`
}

/** The versioned hash of a blob's commitment (EIP-4844). */
export function versionedHash(commitment: Bytes): Hash {
  const digest = createHash('sha256').update(commitment).digest()
  digest[0] = KZG_VERSION
  return bytesToHex(digest) as Hash
}

function readSidecar(item: readonly RlpItem[]): BlobSidecar {
  const list = readList(item, 'a blob transaction with its sidecar', [4, 5])
  const hasVersion = list.length === 5
  if (hasVersion && readNumber(list[1], 'version of a sidecar') !== 1) {
    throw new TransactionDecodeError('INVALID_RLP', 'unsupported version of a blob sidecar')
  }
  const [blobs, commitments, proofs] = list.slice(hasVersion ? 2 : 1)
  return {
    version: hasVersion ? 1 : 0,
    blobs: readList(blobs, 'blobs').map((blob) => readBytes(blob, 'a blob', BLOB_BYTES)),
    commitments: readList(commitments, 'commitments').map((item) => readBytes(item, 'a commitment', POINT_BYTES)),
    proofs: readList(proofs, 'proofs').map((item) => readBytes(item, 'a proof', POINT_BYTES)),
  }
}
