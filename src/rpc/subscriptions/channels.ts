import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { isDenimBlock } from '../../chain/forks/denim-schedule.ts'
import { logsOfBlock } from '../../chain/receipt/block-logs.ts'
import { criteriaCount, type LogQuery } from '../../chain/receipt/log-query.ts'
import { flashblockMessage } from '../../feed/flashblock-message.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import type { NodeEvents } from '../../node/view/events.ts'
import type { BlockView } from '../../node/view/view.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { formatHead } from '../format/block.ts'
import { formatLog } from '../format/log.ts'
import { formatReceiptLogs } from '../format/receipt.ts'
import { formatIncludedTransaction, formatPooledTransaction } from '../format/transaction.ts'
import { encodedArray } from '../protocol/encoded-json.ts'
import type { Json, JsonRecord } from '../protocol/json.ts'
import type { EventChannel, SubscriptionChannel } from './channel.ts'
import type { SubscriptionOptions, UsedOption } from './subscription-options.ts'

const ALL_LOGS: LogQuery = { addresses: [], topics: [] }

/** A kind of `eth_subscribe`. */
export interface SubscriptionKind {
  /** What it uses of the second parameter. */
  readonly uses: readonly UsedOption[]
  channel(options: SubscriptionOptions | undefined): SubscriptionChannel
}

export const SUBSCRIPTIONS: ReadonlyMap<string, SubscriptionKind> = new Map<string, SubscriptionKind>([
  ['newHeads', { uses: [], channel: newHeads }],
  ['logs', { uses: ['criteria'], channel: logs }],
  ['transactionReceipts', { uses: ['transactionHashes'], channel: transactionReceipts }],
  ['newPendingTransactions', { uses: ['flag'], channel: newPendingTransactions }],
  ['newFlashblocks', { uses: ['raw'], channel: newFlashblocks }],
  ['newFlashblockTransactions', { uses: ['flag', 'criteria'], channel: newFlashblockTransactions }],
  ['pendingLogs', { uses: ['criteria'], channel: pendingLogs }],
  ['syncing', { uses: [], channel: () => ({ key: 'syncing', event: undefined, criteria: 0, message: false }) }],
])

/** Sealed blocks only: clients count heads, and the block time is 2 s. */
function newHeads(): EventChannel {
  return { key: 'newHeads', event: 'sealed', criteria: 0, messages: ({ block }) => [formatHead(block)] }
}

/** Logs of sealed blocks. */
function logs(options: SubscriptionOptions | undefined): EventChannel {
  const criteria = criteriaOf(options) ?? ALL_LOGS
  return {
    ...identityOf('logs', criteria),
    event: 'sealed',
    *messages({ block, receipts }) {
      for (const found of logsOfBlock(criteria, block, receipts)) yield formatLog(found)
    },
    removals: ({ blocks }) =>
      removedLogs(
        blocks.filter(({ wasSealed }) => wasSealed),
        criteria,
      ),
  }
}

/** Receipts of sealed blocks (go-ethereum, eth/filters). */
function transactionReceipts(options: SubscriptionOptions | undefined): EventChannel {
  const hashes = (options?.kind === 'object' && options.transactionHashes) || []
  const wanted = new Set(hashes)
  return {
    key: `transactionReceipts ${hashes.join()}`,
    criteria: hashes.length,
    event: 'sealed',
    *messages({ view, block: { hash, transactions } }, memoizedBlocks) {
      const indexes = transactions.flatMap((transaction, index) =>
        wanted.size === 0 || wanted.has(transaction.hash) ? [index] : [],
      )
      if (indexes.length === 0) return
      const found = view.block({ kind: 'hash', hash, requireCanonical: false })!
      yield encodedArray(indexes.map((index) => memoizedBlocks.receipt(found, index).text))
    },
  }
}

function newPendingTransactions(options: SubscriptionOptions | undefined): EventChannel {
  const full = flagOf(options)
  return {
    ...identityOf('newPendingTransactions', full),
    event: 'pooled',
    messages: (transaction) => [full ? formatPooledTransaction(transaction) : transaction.hash],
  }
}

/** The open block with full transactions, or the message of the feed (`{ raw: true }`). */
function newFlashblocks(options: SubscriptionOptions | undefined): EventChannel {
  const raw = options?.kind === 'object' && options.raw
  return {
    ...identityOf('newFlashblocks', raw),
    event: 'flashblock',
    messages: (event, memoizedBlocks) => [
      raw ? flashblockMessage(event.layer) : memoizedBlocks.block(event.view, referenceTo(event), true),
    ],
  }
}

/** Hashes, or full objects; with criteria full objects of transactions with a matching log. */
function newFlashblockTransactions(options: SubscriptionOptions | undefined): EventChannel {
  const criteria = criteriaOf(options)
  const full = criteria !== undefined || flagOf(options)
  return {
    ...identityOf('newFlashblockTransactions', criteria ?? full),
    event: 'flashblock',
    *messages(event) {
      const { layer } = event
      const shown = shownBlock(event)
      const matching = criteria && transactionsWithLogs(shown, criteria, layer.firstTransaction)
      for (const [position, { hash }] of layer.transactions.entries()) {
        const index = layer.firstTransaction + position
        if (matching !== undefined && !matching.has(index)) continue
        yield full ? formatFlashblockTransaction(shown, index) : hash
      }
    },
  }
}

/** Logs that the newest flashblock added. */
function pendingLogs(options: SubscriptionOptions | undefined): EventChannel {
  const criteria = criteriaOf(options) ?? ALL_LOGS
  return {
    ...identityOf('pendingLogs', criteria),
    event: 'flashblock',
    *messages(event): Iterable<Json> {
      const { block, receipts } = shownBlock(event)
      for (const found of logsOfBlock(criteria, block, receipts, event.layer.firstTransaction)) yield formatLog(found)
    },
    removals: ({ blocks }) => removedLogs(blocks, criteria),
  }
}

/** Logs of unwound blocks, newest first. */
function* removedLogs(blocks: NodeEvents['unwound'][0]['blocks'], criteria: LogQuery): Iterable<Json> {
  for (const gone of blocks) {
    for (const found of [...logsOfBlock(criteria, gone.block, gone.receipts)].reverse()) yield formatLog(found, true)
  }
}

/** The block of the event in its view, where it may be sealed already. */
function shownBlock(event: NodeEvents['flashblock'][0]): BlockView {
  return event.view.block(referenceTo(event))!
}

function referenceTo({ block }: NodeEvents['flashblock'][0]): BlockReference {
  return { kind: 'hash', hash: block.hash, requireCanonical: false }
}

function transactionsWithLogs({ block, receipts }: BlockView, criteria: LogQuery, first: number): Set<number> {
  return new Set(Array.from(logsOfBlock(criteria, block, receipts, first), ({ transactionIndex }) => transactionIndex))
}

function criteriaOf(options: SubscriptionOptions | undefined): LogQuery | undefined {
  return options?.kind === 'object' ? options.criteria : undefined
}

function flagOf(options: SubscriptionOptions | undefined): boolean {
  return options?.kind === 'flag' && options.flag
}

/** Criteria may be megabytes of text, so the key holds their hash. */
function identityOf(kind: string, options: LogQuery | boolean): Pick<EventChannel, 'key' | 'criteria'> {
  const text = new TextEncoder().encode(JSON.stringify(options))
  return { key: `${kind} ${keccakHash(text)}`, criteria: typeof options === 'boolean' ? 0 : criteriaCount(options) }
}

/** Subscriptions to flashblocks are accepted but do not notify of Denim blocks (Base specs: Denim). */
export function withoutFlashblocks(channel: SubscriptionChannel, config: ChainConfig): SubscriptionChannel {
  if (channel.event !== 'flashblock') return channel
  const { key, criteria, removals } = channel
  return {
    key,
    criteria,
    event: 'flashblock',
    messages: (event, memoizedBlocks) =>
      isDenimBlock(event.block.header.number, config) ? [] : channel.messages(event, memoizedBlocks),
    ...(removals && { removals: (event) => removals(withoutDenimBlocks(event, config)) }),
  }
}

function withoutDenimBlocks(event: NodeEvents['unwound'][0], config: ChainConfig): NodeEvents['unwound'][0] {
  return {
    ...event,
    blocks: event.blocks.filter(({ block }) => !isDenimBlock(block.header.number, config)),
  }
}

/** The full form of `newFlashblockTransactions`: transaction object and receipt in one flat object. */
function formatFlashblockTransaction(view: BlockView, index: number): JsonRecord {
  const receipt = view.receipts[index]!
  return {
    ...formatIncludedTransaction(view.block.transactions[index]!, view.block, index, receipt.deposit),
    gasUsed: toQuantity(receipt.gasUsed),
    ...('status' in receipt.outcome
      ? { status: toQuantity(receipt.outcome.status) }
      : { root: receipt.outcome.stateRoot }),
    cumulativeGasUsed: toQuantity(receipt.cumulativeGasUsed),
    contractAddress: receipt.contractAddress,
    logsBloom: bytesToHex(receipt.logsBloom),
    logs: formatReceiptLogs(view, index),
  }
}
