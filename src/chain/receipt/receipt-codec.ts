import type { Bytes, Hex } from '../../primitives/hex.ts'
import type { RlpItem, RlpSource } from '../../primitives/rlp.ts'
import {
  encodedLength,
  endList,
  keepEncoding,
  pushBytes,
  pushNumber,
  pushType,
  startReused,
} from '../../primitives/rlp-parts.ts'
import { pushItem } from '../../primitives/rlp-writer.ts'
import { readAddress, readBoolean, readBytes, readHash, readList } from '../rlp-fields.ts'
import { addWordToBlooms, BLOOM_BYTES } from './bloom.ts'
import type { Log } from './log.ts'
import { pushLogWord } from './log-words.ts'
import type { Receipt } from './receipt.ts'

/** The part of a receipt that the receipts trie commits to; the rest derives from the block. */
export type ConsensusReceipt = Pick<
  Receipt,
  'type' | 'outcome' | 'cumulativeGasUsed' | 'logsBloom' | 'logs' | 'deposit'
>

/** A receipt as encoded in the receipts trie (EIP-2718); deposits have nonce and version (OP-stack specs: Canyon). */
export function encodeReceipt(receipt: ConsensusReceipt): Bytes {
  startReused()
  pushReceipt(receipt)
  return keepEncoding()
}

/** Pushes a receipt (`primitives/rlp-parts`), last member first. */
function pushReceipt(receipt: ConsensusReceipt): void {
  const before = encodedLength()
  const { logsBloom, logs, deposit } = receipt
  if (deposit) {
    pushItem(deposit.version)
    pushItem(deposit.nonce)
  }
  pushLogs(logs, undefined)
  pushFront(receipt, logsBloom, before)
}

/** Blooms of the receipt that is being written and of its block. */
interface Blooms {
  readonly one: Bytes
  readonly other: Bytes
}

const receiptBloom = new Uint8Array(BLOOM_BYTES)

/**
 * Pushes a receipt and computes its bloom on the way, so that addresses and topics are looked up once.
 *
 * @param blockBloom the bloom of the block, which is updated
 */
export function pushReceiptAndBloom(
  receipt: Pick<ConsensusReceipt, 'type' | 'outcome' | 'cumulativeGasUsed' | 'logs'>,
  blockBloom: Bytes,
): void {
  const before = encodedLength()
  receiptBloom.fill(0)
  pushLogs(receipt.logs, { one: receiptBloom, other: blockBloom })
  pushFront(receipt, receiptBloom, before)
}

function pushFront(
  { type, outcome, cumulativeGasUsed }: Pick<ConsensusReceipt, 'type' | 'outcome' | 'cumulativeGasUsed'>,
  logsBloom: Bytes,
  before: number,
): void {
  pushBytes(logsBloom)
  pushNumber(cumulativeGasUsed)
  pushItem(outcomeItem(outcome))
  endList(before)
  if (type !== 0) pushType(type)
}

function pushLogs(logs: readonly Log[], blooms: Blooms | undefined): void {
  const before = encodedLength()
  for (let index = logs.length - 1; index >= 0; index--) pushLog(logs[index]!, blooms)
  endList(before)
}

function pushLog({ address, topics, data }: Log, blooms: Blooms | undefined): void {
  const before = encodedLength()
  pushBytes(data)
  const beforeTopics = encodedLength()
  for (let index = topics.length - 1; index >= 0; index--) pushWord(topics[index]!, blooms)
  endList(beforeTopics)
  pushWord(address, blooms)
  endList(before)
}

function pushWord(addressOrTopic: Hex, blooms: Blooms | undefined): void {
  const position = pushLogWord(addressOrTopic)
  if (blooms !== undefined) addWordToBlooms(position, blooms.one, blooms.other)
}

/** A log as a member of a receipt. */
export function logItem(log: Log): RlpSource {
  return [log.address, log.topics, log.data]
}

export function readLog(item: RlpItem): Log {
  const [address, topics, data] = readList(item, 'a log', [3])
  return {
    address: readAddress(address, 'address of a log'),
    topics: readList(topics, 'topics', [0, 1, 2, 3, 4]).map((topic) => readHash(topic, 'a topic')),
    data: readBytes(data, 'data of a log'),
  }
}

/** Status (EIP-658) or, before Byzantium, the state root. */
export function outcomeItem(outcome: Receipt['outcome']): RlpSource {
  return 'status' in outcome ? outcome.status : outcome.stateRoot
}

export function readOutcome(item: RlpItem | undefined): Receipt['outcome'] {
  if (readBytes(item, 'status').length === 32) return { stateRoot: readHash(item, 'stateRoot') }
  return { status: readBoolean(item, 'status') ? 1 : 0 }
}
