import type { Block, Withdrawal } from '../../chain/block/block.ts'
import { createBlock } from '../../chain/block/block.ts'
import { decodeBlock, encodeBlock, encodeWithdrawal, unclesHash } from '../../chain/block/block-codec.ts'
import type { Header } from '../../chain/block/header.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { encodeReceipt } from '../../chain/receipt/receipt-codec.ts'
import { DEPOSIT_TYPE } from '../../chain/transaction/transaction.ts'
import { orderedRoot } from '../../state/trie/ordered-root.ts'
import { hashValue, invalid, ReplyObject } from '../source/reply-fields.ts'
import { readVerifiedHeader } from './header-reading.ts'
import { readTransactionReply } from './transaction-reading.ts'

/**
 * A block from a reply with whole transactions, with everything compared with its hash. Senders are recovered.
 *
 * @param uncles headers of the uncles, which blocks only name by hash
 * @throws ForkError FORK_DATA_UNKNOWN, FORK_DATA_INVALID
 */
export function readBlockReply(result: unknown, subject: string, uncles: readonly Header[] = []): Block {
  const reply = new ReplyObject(result, subject)
  const { header } = readVerifiedHeader(reply)
  const transactions = reply.objects('transactions').map(readTransactionReply)
  if (orderedRoot(transactions.map(({ raw }) => raw)) !== header.transactionsRoot) {
    throw invalid(subject, 'its transactions do not give the root in its header')
  }
  if (unclesHash(uncles) !== header.sha3Uncles) throw invalid(subject, 'its uncles do not give the hash in its header')
  const withdrawals = reply.has('withdrawals') ? reply.objects('withdrawals').map(readWithdrawalReply) : undefined
  // On layer 2 there are none, and the header has another root there (Isthmus).
  if (
    withdrawals &&
    withdrawals.length > 0 &&
    orderedRoot(withdrawals.map(encodeWithdrawal)) !== header.withdrawalsRoot
  ) {
    throw invalid(subject, 'its withdrawals do not give the root in its header')
  }
  return createBlock(decodeBlock(encodeBlock({ header, transactions, uncles, withdrawals })))
}

/** Hashes of the uncles that a block names. */
export function uncleHashesOf(result: unknown, subject: string): readonly unknown[] {
  const reply = new ReplyObject(result, subject)
  return reply.has('uncles') ? reply.list('uncles') : []
}

function readWithdrawalReply(item: ReplyObject): Withdrawal {
  return {
    index: item.quantity('index'),
    validatorIndex: item.quantity('validatorIndex'),
    address: item.address('address'),
    amount: item.quantity('amount'),
  }
}

/**
 * The receipts of a block, compared with the root in its header.
 *
 * @param results one per transaction, in order
 * @throws ForkError FORK_DATA_INVALID
 */
export function readReceiptReplies(
  results: readonly unknown[],
  { header, transactions, hash }: Block,
): readonly Receipt[] {
  const subject = `the receipts of block ${header.number}`
  if (results.length !== transactions.length) {
    throw invalid(subject, `${results.length} receipts for ${transactions.length} transactions`)
  }
  const receipts: Receipt[] = []
  let firstLogIndex = 0
  let gasBefore = 0
  for (const [index, result] of results.entries()) {
    const reply = new ReplyObject(result, `receipt ${index} of block ${hash}`)
    const receipt = readReceiptReply(reply, { firstLogIndex, gasBefore })
    firstLogIndex += receipt.logs.length
    gasBefore = receipt.cumulativeGasUsed
    receipts.push(receipt)
  }
  if (orderedRoot(receipts.map(encodeReceipt)) !== header.receiptsRoot) {
    throw invalid(subject, 'they do not give the root in the header')
  }
  return receipts
}

interface ReceiptPosition {
  readonly firstLogIndex: number
  /** Cumulative gas of the transaction before. */
  readonly gasBefore: number
}

function readReceiptReply(reply: ReplyObject, { firstLogIndex, gasBefore }: ReceiptPosition): Receipt {
  const type = reply.optionalNumber('type') ?? 0
  const cumulativeGasUsed = reply.number('cumulativeGasUsed')
  const blobGasUsed = reply.optionalNumber('blobGasUsed')
  const blobGasPrice = reply.optionalQuantity('blobGasPrice')
  return {
    type,
    outcome: reply.has('status')
      ? { status: reply.quantity('status') === 1n ? 1 : 0 }
      : { stateRoot: reply.hash('root') },
    cumulativeGasUsed,
    gasUsed: cumulativeGasUsed - gasBefore,
    logsBloom: reply.bytes('logsBloom', 256),
    logs: reply.objects('logs').map((log) => ({
      address: log.address('address'),
      topics: log.list('topics').map((topic) => hashValue(topic, 'a topic')),
      data: log.bytes('data'),
    })),
    firstLogIndex,
    contractAddress: reply.optionalAddress('contractAddress') ?? null,
    effectiveGasPrice: reply.optionalQuantity('effectiveGasPrice') ?? 0n,
    ...(blobGasUsed !== undefined && { blobGasUsed }),
    ...(blobGasPrice !== undefined && { blobGasPrice }),
    ...(type === DEPOSIT_TYPE && reply.has('depositReceiptVersion') && { deposit: depositMembers(reply) }),
  }
}

/** Before Canyon the receipt's encoding has neither of them (OP-stack specs: Canyon). */
function depositMembers(reply: ReplyObject) {
  return { nonce: reply.quantity('depositNonce'), version: reply.quantity('depositReceiptVersion') }
}
