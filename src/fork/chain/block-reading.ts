import type { Block, Withdrawal } from '../../chain/block/block.ts'
import { createBlock } from '../../chain/block/block.ts'
import { type BlockContent, blockSize, encodeWithdrawal, unclesHash } from '../../chain/block/block-codec.ts'
import type { Header } from '../../chain/block/header.ts'
import type { ForeignMembers } from '../../chain/foreign-members.ts'
import type { Receipt } from '../../chain/receipt/receipt.ts'
import { encodeReceipt } from '../../chain/receipt/receipt-codec.ts'
import { DEPOSIT_TYPE, isForeign } from '../../chain/transaction/transaction.ts'
import { orderedRoot } from '../../state/trie/ordered-root.ts'
import { invalid, ReplyObject } from '../source/reply-fields.ts'
import type { ForeignData } from './foreign-data.ts'
import { readJudgedHeader } from './header-reading.ts'
import { readLogMembers } from './log-reading.ts'
import { readIncludedTransaction } from './transaction-reading.ts'

/** Members of a block object that are written from its content, also where its header cannot be verified. */
const SHOWN_BY_THIS_NODE: ReadonlySet<string> = new Set(['transactions'])

/**
 * A block from a reply with whole transactions, compared with its hash as far as this node knows what is hashed.
 * Senders are recovered.
 *
 * @param uncles headers of the uncles, which blocks only name by hash
 * @throws ForkError FORK_DATA_UNKNOWN, FORK_DATA_INVALID
 */
export function readBlockReply(
  result: unknown,
  subject: string,
  data: ForeignData,
  uncles: readonly Header[] = [],
): Block {
  const reply = new ReplyObject(result, subject)
  const { header, hash, isVerified: isHeaderVerified } = readJudgedHeader(reply, data)
  const transactions = reply
    .objects('transactions')
    .map((item) => readIncludedTransaction(item, { data, isHeaderVerified }))
  const withdrawals = reply.has('withdrawals') ? reply.objects('withdrawals').map(readWithdrawalReply) : undefined
  const content = { header, transactions, uncles, withdrawals }
  const foreign = isHeaderVerified ? undefined : reply.without(SHOWN_BY_THIS_NODE)
  const block = createBlock({ ...content, hash, size: 0, ...(foreign && { foreign }) })
  const isWhole = isVerifiedBlock(block)
  if (isWhole) assertRoots(content, subject)
  else data.noteTrusted('transactions')
  const size = (isWhole ? undefined : reply.optionalNumber('size')) ?? blockSize(content)
  return createBlock({ ...block, size })
}

/** Whether the header of a block gives its hash, and its transactions are those of its root. */
function isVerifiedBlock({ foreign, transactions }: Block): boolean {
  return foreign === undefined && !transactions.some(isForeign)
}

/** @throws ForkError FORK_DATA_INVALID */
function assertRoots({ header, transactions, uncles, withdrawals }: BlockContent, subject: string): void {
  if (orderedRoot(transactions.map(({ raw }) => raw)) !== header.transactionsRoot) {
    throw invalid(subject, 'its transactions do not give the root in its header')
  }
  if (unclesHash(uncles) !== header.sha3Uncles) throw invalid(subject, 'its uncles do not give the hash in its header')
  // On layer 2 there are none, and the header has another root there (Isthmus).
  if (
    withdrawals &&
    withdrawals.length > 0 &&
    orderedRoot(withdrawals.map(encodeWithdrawal)) !== header.withdrawalsRoot
  ) {
    throw invalid(subject, 'its withdrawals do not give the root in its header')
  }
}

/** Memory that a block takes: one that only its own chain explains is kept as text besides. */
export function cachedBytes({ size, transactions }: Block): number {
  return transactions.reduce(
    (sum, { foreign, data }) => sum + (foreign === undefined ? 0 : 1_000 + 4 * data.length),
    size,
  )
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
 * The receipts of a block, compared with the root in its header unless only its own chain explains the block or them.
 *
 * @param results one per transaction, in order
 * @throws ForkError FORK_DATA_UNKNOWN, FORK_DATA_INVALID
 */
export function readReceiptReplies(results: readonly unknown[], block: Block, data: ForeignData): readonly Receipt[] {
  const { header, transactions, hash } = block
  const subject = `the receipts of block ${header.number}`
  if (results.length !== transactions.length) {
    throw invalid(subject, `${results.length} receipts for ${transactions.length} transactions`)
  }
  const receipts: Receipt[] = []
  let firstLogIndex = 0
  let gasBefore = 0
  for (const [index, result] of results.entries()) {
    const reply = new ReplyObject(result, `receipt ${index} of block ${hash}`)
    const others = data.receiptMembers(reply)
    const receipt = readReceiptReply(reply, { firstLogIndex, gasBefore })
    firstLogIndex += receipt.logs.length
    gasBefore = receipt.cumulativeGasUsed
    receipts.push(others === undefined ? receipt : { ...receipt, foreign: others })
  }
  const isVerified = isVerifiedBlock(block)
  if (isVerified && orderedRoot(receipts.map(encodeReceipt)) === header.receiptsRoot) return receipts
  if (isVerified && !data.mayExplainReceipts(receipts.map(({ foreign }) => foreign))) {
    throw invalid(subject, 'they do not give the root in the header')
  }
  data.trust('receipts', `${subject} have a form that only its own chain knows: --fork-verify known shows them`)
  return receipts.map((receipt, index) => ({ ...receipt, foreign: results[index] as ForeignMembers }))
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
    logs: reply.objects('logs').map(readLogMembers),
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
