import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { denimTimeOf } from '../../chain/forks/denim-schedule.ts'
import { logsOfBlock } from '../../chain/receipt/block-logs.ts'
import { criteriaCount, type LogQuery } from '../../chain/receipt/log-query.ts'
import { flashblockMessage } from '../../feed/flashblock-message.ts'
import type { BlockReference } from '../../node/view/block-reference.ts'
import type { NodeEvents } from '../../node/view/events.ts'
import type { BlockView } from '../../node/view/view.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { hash } from '../codecs/bytes.ts'
import { formatHead } from '../format/block.ts'
import { formatFlashblockTransaction } from '../format/flashblock-transaction.ts'
import { formatLog } from '../format/log.ts'
import { formatPooledTransaction } from '../format/transaction.ts'
import { encodedArray } from '../protocol/encoded-json.ts'
import type { Json, JsonSchema } from '../protocol/json.ts'
import {
  arrayOf,
  BLOCK_SCHEMA,
  HEADER_SCHEMA,
  LOG_SCHEMA,
  RECEIPT_SCHEMA,
  TRANSACTION_SCHEMA,
} from '../schemas/schemas.ts'
import type { EventChannel, SubscriptionChannel } from './channel.ts'
import { FLASHBLOCK_SCHEMA, FLASHBLOCK_TRANSACTION_SCHEMA } from './payload-schemas.ts'
import type { SubscriptionOptions, UsedOption } from './subscription-options.ts'

const ALL_LOGS: LogQuery = { addresses: [], topics: [] }

/** A kind of `eth_subscribe`. */
export interface SubscriptionKind {
  readonly summary: string
  /** Description of the second parameter. */
  readonly options: string
  readonly uses: readonly UsedOption[]
  /** Schema of `result` in its messages. */
  readonly payload: JsonSchema
  channel(options: SubscriptionOptions | undefined): SubscriptionChannel
}

export const SUBSCRIPTIONS: ReadonlyMap<string, SubscriptionKind> = new Map<string, SubscriptionKind>([
  [
    'newHeads',
    {
      summary: 'Each sealed block.',
      options: 'none',
      uses: [],
      payload: HEADER_SCHEMA,
      channel: newHeads,
    },
  ],
  [
    'logs',
    {
      summary: 'Logs of sealed blocks; with `removed` those of unwound blocks.',
      options: 'log criteria',
      uses: ['criteria'],
      payload: LOG_SCHEMA,
      channel: logs,
    },
  ],
  [
    'transactionReceipts',
    {
      summary: 'The receipts of each sealed block that has some, as one array.',
      options: '`{"transactionHashes":[…]}`: those of these transactions',
      uses: ['transactionHashes'],
      payload: arrayOf(RECEIPT_SCHEMA),
      channel: transactionReceipts,
    },
  ],
  [
    'newPendingTransactions',
    {
      summary: 'Each transaction that enters the pool.',
      options: '`true`: whole transactions, not hashes',
      uses: ['flag'],
      payload: { oneOf: [hash.schema, TRANSACTION_SCHEMA] },
      channel: newPendingTransactions,
    },
  ],
  [
    'newFlashblocks',
    {
      summary: 'The open block so far, with whole transactions, at each flashblock.',
      options: '`{"raw":true}`: what the flashblock added, as messages of the feed are',
      uses: ['raw'],
      payload: { anyOf: [BLOCK_SCHEMA, FLASHBLOCK_SCHEMA] },
      channel: newFlashblocks,
    },
  ],
  [
    'newFlashblockTransactions',
    {
      summary: 'Each transaction that a flashblock added.',
      options: '`true`: with receipts, not hashes; log criteria: those with a log that matches, with receipts',
      uses: ['flag', 'criteria'],
      payload: { oneOf: [hash.schema, FLASHBLOCK_TRANSACTION_SCHEMA] },
      channel: newFlashblockTransactions,
    },
  ],
  [
    'pendingLogs',
    {
      summary: 'Logs that a flashblock added; with `removed` those of an unwound open block.',
      options: 'log criteria',
      uses: ['criteria'],
      payload: LOG_SCHEMA,
      channel: pendingLogs,
    },
  ],
  [
    'syncing',
    {
      summary: 'Sends `false` once: the node is always synchronised, as `eth_syncing` says.',
      options: 'none',
      uses: [],
      payload: { type: 'boolean' },
      channel: () => ({ key: 'syncing', event: undefined, criteria: 0, message: false }),
    },
  ],
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
    removals: (event) => removedLogs(event, criteria, true),
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
    removals: (event) => removedLogs(event, criteria, false),
  }
}

/** Logs of unwound blocks, newest first: of sealed blocks, or of the open one. */
function* removedLogs({ blocks }: NodeEvents['unwound'][0], criteria: LogQuery, wasSealed: boolean): Iterable<Json> {
  for (const gone of blocks) {
    if (gone.wasSealed !== wasSealed) continue
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
      denimTimeOf(event.block.header.number, config) === undefined ? channel.messages(event, memoizedBlocks) : [],
    ...(removals && { removals: (event) => removals(withoutDenimBlocks(event, config)) }),
  }
}

function withoutDenimBlocks(event: NodeEvents['unwound'][0], config: ChainConfig): NodeEvents['unwound'][0] {
  return {
    ...event,
    blocks: event.blocks.filter(({ block }) => denimTimeOf(block.header.number, config) === undefined),
  }
}
