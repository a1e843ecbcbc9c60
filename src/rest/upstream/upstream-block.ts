import type { BlockReference } from '../../node/view/block-reference.ts'
import { type Hash, isHexBytes, toHash } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { asObject, malformed, meaningOf, type RpcCall, type RpcReply } from '../../upstream/rpc-reply.ts'
import { UpstreamError } from '../../upstream/upstream-failure.ts'
import { StatusError } from '../http/status.ts'

/** The header fields needed for reading at a block. */
export interface UpstreamBlock {
  readonly number: number
  readonly hash: Hash
  readonly parentHash: Hash | undefined
  /** Unix seconds. */
  readonly timestamp: bigint
}

const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]{0,15})$/i
const MISSING: ReadonlySet<string> = new Set(['missing', 'pruned', 'unsupported'])

/** The request for the block of a reference. */
export function blockCall(reference: BlockReference): RpcCall {
  if (reference.kind === 'hash') return { method: 'eth_getBlockByHash', params: [reference.hash, false] }
  const name = reference.kind === 'tag' ? reference.tag : toQuantity(reference.number)
  return { method: 'eth_getBlockByNumber', params: [name, false] }
}

/**
 * The block in a reply to `blockCall`; `undefined` when there is none or the upstream does not know the tag.
 *
 * @throws UpstreamError `malformed`, also for another block than the requested one; `refused`
 * @throws StatusError `notFound` for an open block without a hash
 */
export function blockOf(reply: RpcReply, reference: BlockReference): UpstreamBlock | undefined {
  if (reply.kind === 'error') {
    // An unknown tag means a missing block, as in go-ethereum before the first finalized block.
    if (MISSING.has(meaningOf(reply)) || reply.code === INVALID_PARAMS) return undefined
    throw new UpstreamError({ ...reply, kind: 'refused' })
  }
  if (reply.result === null) return undefined
  const { number, hash, parentHash, timestamp } = asObject(reply.result)
  // go-ethereum's pending block has no hash.
  if (hash === null && reference.kind === 'tag' && reference.tag === 'pending') {
    throw new StatusError('notFound', 'the pending block of the upstream node has no hash: use latest')
  }
  if (!isHash(hash)) throw malformed('a block without a hash')
  const height = parseQuantity(number, 'block number')
  if (height > MAX_HEIGHT) throw malformed('a height that no chain has')
  const time = parseQuantity(timestamp, 'block timestamp')
  if (time > MAX_TIME) throw malformed('a time that no calendar has')
  const parent = isHash(parentHash) ? toHash(parentHash) : undefined
  const block = { number: Number(height), hash: toHash(hash), parentHash: parent, timestamp: time }
  if (!isOf(block, reference)) throw malformed('another block than the requested one')
  return block
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && isHexBytes(value) && value.length === 66
}

const INVALID_PARAMS = -32602
const MAX_HEIGHT = BigInt(Number.MAX_SAFE_INTEGER)
/** The last second of a Date. */
const MAX_TIME = 8_640_000_000_000n

/**
 * @param name of the value, for the message
 * @throws UpstreamError `malformed`
 */
export function parseQuantity(value: unknown, name: string): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value))
    throw malformed(`its ${name} is no hex quantity of at most 64 bits without leading zeros`)
  return BigInt(value)
}

function isOf(block: UpstreamBlock, reference: BlockReference): boolean {
  if (reference.kind === 'hash') return block.hash === reference.hash
  if (reference.kind === 'number') return block.number === reference.number
  return reference.tag !== 'earliest' || block.number === 0
}
