import type { Bytes, Hash } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { decodeRlp, encodeRlp, type RlpItem, type RlpSource, rlpLength } from '../../primitives/rlp.ts'
import { transientRlp } from '../../primitives/rlp-writer.ts'
import { readAddress, readList, readUint64 } from '../rlp-fields.ts'
import { impersonatedSender } from '../transaction/impersonation.ts'
import { DEPOSIT_TYPE, type RecoveredTransaction, type Transaction } from '../transaction/transaction.ts'
import { decodeTransaction, recoverTransaction, withSender } from '../transaction/transaction-codec.ts'
import type { Block, Withdrawal } from './block.ts'
import type { Header } from './header.ts'
import { encodeHeader, hashHeader, headerItem, readHeader } from './header-codec.ts'

/** Content of a block's RLP. */
export interface BlockContent {
  readonly header: Header
  readonly transactions: readonly Pick<Transaction, 'type' | 'raw'>[]
  readonly uncles: readonly Header[]
  readonly withdrawals?: readonly Withdrawal[] | undefined
}

/** The RLP of a block. */
export function encodeBlock(block: BlockContent): Bytes {
  const items: RlpSource[] = [
    headerItem(block.header),
    block.transactions.map(({ type, raw }) => (type === 0 ? decodeRlp(raw) : raw)),
    block.uncles.map(headerItem),
  ]
  if (block.withdrawals) items.push(block.withdrawals.map(withdrawalItem))
  return encodeRlp(items)
}

/**
 * Decodes a block and recovers the senders of its transactions. Roots are not checked.
 *
 * @throws RlpError or TransactionDecodeError
 */
export function decodeBlock(raw: Bytes): Block {
  return readBlock(decodeRlp(raw), raw.length)
}

/**
 * A block from a decoded item, such as one of a file of blocks.
 *
 * @param size bytes of the item's RLP
 * @throws RlpError or TransactionDecodeError
 */
export function readBlock(item: RlpItem, size: number): Block {
  const list = readList(item, 'a block', [3, 4])
  const header = readHeader(list[0])
  return {
    header,
    hash: hashHeader(header),
    transactions: readList(list[1], 'transactions').map((entry) => {
      const isTyped = entry instanceof Uint8Array
      return includedTransaction(decodeTransaction(isTyped ? entry : encodeRlp(entry)))
    }),
    uncles: readList(list[2], 'uncles').map(readHeader),
    ...(list.length > 3 && { withdrawals: readList(list[3], 'withdrawals').map(readWithdrawal) }),
    size,
  }
}

/**
 * A transaction of a block with its sender. Blocks of development nodes may hold transactions that were sent by
 * impersonation.
 *
 * @throws TransactionDecodeError with code INVALID_SIGNATURE
 */
export function includedTransaction(transaction: Transaction): RecoveredTransaction {
  if (transaction.type === DEPOSIT_TYPE) return transaction
  const impersonated = impersonatedSender(transaction)
  return impersonated === undefined ? recoverTransaction(transaction) : withSender(transaction, impersonated)
}

/** Length of a block's RLP, without encoding it. */
export function blockSize(block: BlockContent): number {
  let transactions = 0
  for (const { type, raw } of block.transactions) transactions += type === 0 ? raw.length : rlpLength(raw.length)
  let uncles = 0
  for (const uncle of block.uncles) uncles += encodeHeader(uncle).length
  const withdrawals = block.withdrawals ? encodeRlp(block.withdrawals.map(withdrawalItem)).length : 0
  return rlpLength(encodeHeader(block.header).length + rlpLength(transactions) + rlpLength(uncles) + withdrawals)
}

/** The `sha3Uncles` member of a header. */
export function unclesHash(uncles: readonly Header[]): Hash {
  return keccakHash(transientRlp(uncles.map(headerItem), undefined))
}

/** A withdrawal as encoded in the withdrawals trie (EIP-4895). */
export function encodeWithdrawal(withdrawal: Withdrawal): Bytes {
  return encodeRlp(withdrawalItem(withdrawal))
}

/** A withdrawal as a member of a block. */
export function withdrawalItem(withdrawal: Withdrawal): RlpSource {
  return [withdrawal.index, withdrawal.validatorIndex, withdrawal.address, withdrawal.amount]
}

/** @throws RlpError */
export function readWithdrawal(item: RlpItem): Withdrawal {
  const list = readList(item, 'a withdrawal', [4])
  return {
    index: readUint64(list[0], 'index of a withdrawal'),
    validatorIndex: readUint64(list[1], 'validatorIndex of a withdrawal'),
    address: readAddress(list[2], 'address of a withdrawal'),
    amount: readUint64(list[3], 'amount of a withdrawal'),
  }
}
