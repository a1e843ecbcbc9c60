import type { NodeRequests } from '../../../live/http-rpc.ts'
import type { Capabilities } from '../../client/capabilities.ts'
import { type BlockObject, blockObject, type ReceiptObject, receiptObject } from '../../model/chain-objects.ts'
import { transactionCondition } from '../../model/transaction-status.ts'

/** A block with everything that its page shows. */
export interface BlockDetails {
  readonly block: BlockObject
  /** Asked for as `pending`. */
  readonly isOpen: boolean
  readonly receipts: ReadonlyMap<string, ReceiptObject>
  /** Flashblock by transaction: the node knows it for recent blocks. */
  readonly slotOf: ReadonlyMap<string, number>
}

/** Transactions of a block whose flashblock is read: a request each, in batches. */
const MAX_STATUSES = 400

/**
 * @param id height, tag or hash
 * @param known flashblocks that earlier reads of the block found; this one adds to them
 */
export async function readBlockDetails(
  node: NodeRequests,
  id: string,
  { blockReceipts, transactionStatus }: Pick<Capabilities, 'blockReceipts' | 'transactionStatus'>,
  known: Map<string, number>,
): Promise<BlockDetails | undefined> {
  const isHash = id.startsWith('0x')
  const parameter = /^\d+$/.test(id) ? `0x${Number(id).toString(16)}` : id
  const method = isHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  const found = blockObject(await node.request(method, [parameter, true]))
  // The open block has its height, but nodes give it by its tag only.
  const block = found ?? (isHash ? undefined : await openBlock(node, id))
  if (block === undefined) return undefined
  const isOpen = id === 'pending' || found === undefined
  const [receipts, slotOf] = await Promise.all([
    blockReceipts ? readReceipts(node, isOpen ? 'pending' : `0x${block.number.toString(16)}`) : new Map(),
    transactionStatus ? readSlots(node, block, known) : new Map<string, number>(),
  ])
  return { block, isOpen, receipts, slotOf }
}

async function openBlock(node: NodeRequests, id: string): Promise<BlockObject | undefined> {
  const open = blockObject(await node.request('eth_getBlockByNumber', ['pending', true]))
  return open?.number === Number(id) ? open : undefined
}

async function readReceipts(node: NodeRequests, block: string): Promise<ReadonlyMap<string, ReceiptObject>> {
  const receipts = await node.request('eth_getBlockReceipts', [block]).catch(() => [])
  const read = (Array.isArray(receipts) ? receipts : []).flatMap((json: unknown) => receiptObject(json) ?? [])
  return new Map(read.map((receipt) => [receipt.transactionHash, receipt]))
}

/** Asks for the transactions that are not known yet: a block is read again with each flashblock. */
async function readSlots(
  node: NodeRequests,
  { transactions }: BlockObject,
  known: Map<string, number>,
): Promise<ReadonlyMap<string, number>> {
  if (transactions.length > MAX_STATUSES) return new Map()
  const hashes = new Set(transactions.map(({ hash }) => hash))
  for (const hash of known.keys()) if (!hashes.has(hash)) known.delete(hash)
  const [first, ...others] = [...hashes].filter((hash) => !known.has(hash))
  // A node that has forgotten one has forgotten the block.
  if (first !== undefined && (await addSlot(node, first, known))) {
    await Promise.all(others.map((hash) => addSlot(node, hash, known)))
  }
  return new Map(known)
}

/** @returns whether the node knows its flashblock */
async function addSlot(node: NodeRequests, hash: string, known: Map<string, number>): Promise<boolean> {
  const status = await node.request('tickertape_transactionStatus', [hash]).catch(() => undefined)
  const { flashblockIndex } = transactionCondition(status)
  if (flashblockIndex !== undefined) known.set(hash, flashblockIndex)
  return flashblockIndex !== undefined
}
