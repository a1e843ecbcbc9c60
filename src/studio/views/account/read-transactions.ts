import { objectIn } from '../../../live/amount.ts'
import type { NodeRequests } from '../../../live/http-rpc.ts'
import {
  blockObject,
  type ReceiptObject,
  receiptObject,
  type TransactionObject,
  transactionObject,
} from '../../model/chain-objects.ts'

/** A page of the transactions of an account, newest first. */
export interface TransactionPage {
  readonly rows: readonly AccountTransaction[]
  /** Its parameter `before` for the next page; `undefined` if there is none. */
  readonly next: number | undefined
  /** Blocks that were searched one by one, for a node without an index. */
  readonly searched: { readonly from: number; readonly to: number } | undefined
}

export interface AccountTransaction {
  readonly transaction: TransactionObject
  readonly receipt: ReceiptObject | undefined
}

const PAGE = 25
/** Blocks that are searched at once without an index. */
const SEARCHED = 60

/**
 * Transactions that an account appears in: by the index of the node, or else its own and those to it in the newest
 * blocks.
 *
 * @param before height that all transactions are below; `undefined`: the newest
 */
export function readTransactions(
  node: NodeRequests,
  address: string,
  { before, hasIndex }: { readonly before: number | undefined; readonly hasIndex: boolean },
): Promise<TransactionPage> {
  return hasIndex ? indexed(node, address, before) : searched(node, address, before)
}

async function indexed(node: NodeRequests, address: string, before: number | undefined): Promise<TransactionPage> {
  const page = objectIn(await node.request('ots_searchTransactionsBefore', [address, before ?? 0, PAGE]))
  const receipts = listOf(page.receipts).map(receiptObject)
  const rows = listOf(page.txs).flatMap((json, position) => {
    const transaction = transactionObject(json)
    return transaction === undefined ? [] : [{ transaction, receipt: receipts[position] }]
  })
  const isLast = page.lastPage === true || rows.length === 0
  return { rows, next: isLast ? undefined : rows.at(-1)?.transaction.blockNumber, searched: undefined }
}

async function searched(node: NodeRequests, address: string, before: number | undefined): Promise<TransactionPage> {
  const to = (before ?? Number(await node.request('eth_blockNumber')) + 1) - 1
  const from = Math.max(0, to - SEARCHED + 1)
  const heights = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => to - index)
  const blocks = await Promise.all(
    heights.map((height) => node.request('eth_getBlockByNumber', [`0x${height.toString(16)}`, true])),
  )
  const isParty = ({ from: sender, to: recipient }: TransactionObject) =>
    [sender, recipient].some((party) => party?.toLowerCase() === address)
  const rows = blocks
    .flatMap((block) => (blockObject(block)?.transactions ?? []).toReversed())
    .filter(isParty)
    .map((transaction) => ({ transaction, receipt: undefined }))
  return { rows, next: from === 0 ? undefined : from, searched: { from, to } }
}

function listOf(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : []
}
