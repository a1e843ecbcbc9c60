import type { Bytes } from '../../primitives/hex.ts'
import { decodeRlp, encodeTypedRlp, RlpError } from '../../primitives/rlp.ts'
import { readBytes, readList, readNumber } from '../rlp-fields.ts'
import { decodeSentTransaction, encodeSentTransaction } from './blob-sidecar.ts'
import type { PoolTransaction, SignedTransaction, Transaction } from './transaction.ts'
import { TransactionDecodeError } from './transaction-decode-error.ts'
import { readValidity, validityItem } from './validity.ts'

/**
 * First byte of a transaction with its validity predicates, as processes of a chain pass it on and record it. Clients
 * cannot send it: predicates are not signed and never part of a block.
 */
export const CONDITIONAL_TYPE = 0x7d

/**
 * Byte before the bytes of a transaction with `mustBeExecutable`, as replicas and RPC workers forward it to the leader.
 * Records never have it, and requests of clients are refused with it.
 */
export const EXECUTABLE_PREFIX = 0x7c

/** The bytes of a transaction that the pool refuses unless the next block can include it. */
export function encodeExecutable(sent: Bytes): Bytes {
  const bytes = new Uint8Array(1 + sent.length)
  bytes[0] = EXECUTABLE_PREFIX
  bytes.set(sent, 1)
  return bytes
}

type Conditions = Pick<PoolTransaction, 'validity' | 'mustStayValid'>

/** Sent bytes with the conditions of their inclusion. */
export function encodeConditional(sent: Bytes, { validity = [], mustStayValid }: Conditions): Bytes {
  const flags = mustStayValid === true ? [1] : []
  return encodeTypedRlp(CONDITIONAL_TYPE, [sent, validityItem(validity), ...flags])
}

/** A pooled transaction with everything that decides about its inclusion: its sidecar, or its validity predicates. */
export function encodeWaitingTransaction(transaction: SignedTransaction & Conditions): Bytes {
  const sent = encodeSentTransaction(transaction)
  return transaction.validity === undefined ? sent : encodeConditional(sent, transaction)
}

/** @throws TransactionDecodeError */
export function decodeWaitingTransaction(bytes: Bytes): Transaction {
  if (bytes[0] !== CONDITIONAL_TYPE) return decodeSentTransaction(bytes)
  try {
    const [sent, validity, flag] = readList(decodeRlp(bytes.subarray(1)), 'a conditional transaction', [2, 3])
    const transaction = decodeSentTransaction(readBytes(sent, 'a transaction'))
    const mustStayValid = flag !== undefined && readNumber(flag, 'a flag') === 1
    return Object.assign(transaction, { validity: readValidity(validity), ...(mustStayValid && { mustStayValid }) })
  } catch (error) {
    if (error instanceof RlpError) throw new TransactionDecodeError('INVALID_RLP', `rlp: ${error.message}`)
    throw error
  }
}
