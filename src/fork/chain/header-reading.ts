import { createHeader, type Header } from '../../chain/block/header.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import { type Hash, ZERO_HASH } from '../../primitives/hex.ts'
import { ForkError } from '../source/fork-error.ts'
import type { ReplyObject } from '../source/reply-fields.ts'

const NO_NONCE = new Uint8Array(8)

/**
 * The header in a block of the upstream, without comparing its hash.
 *
 * @throws ForkError FORK_DATA_INVALID
 */
export function readHeaderMembers(block: ReplyObject): Header {
  return createHeader({
    parentHash: block.hash('parentHash'),
    sha3Uncles: block.hash('sha3Uncles'),
    miner: block.address('miner'),
    stateRoot: block.hash('stateRoot'),
    transactionsRoot: block.hash('transactionsRoot'),
    receiptsRoot: block.hash('receiptsRoot'),
    logsBloom: block.bytes('logsBloom', 256),
    difficulty: block.optionalQuantity('difficulty') ?? 0n,
    number: block.number('number'),
    gasLimit: block.quantity('gasLimit'),
    gasUsed: block.number('gasUsed'),
    timestamp: block.quantity('timestamp'),
    extraData: block.bytes('extraData'),
    mixHash: block.optionalHash('mixHash') ?? ZERO_HASH,
    nonce: block.has('nonce') ? block.bytes('nonce', 8) : NO_NONCE,
    baseFeePerGas: block.optionalQuantity('baseFeePerGas'),
    withdrawalsRoot: block.optionalHash('withdrawalsRoot'),
    blobGasUsed: block.optionalNumber('blobGasUsed'),
    excessBlobGas: block.optionalQuantity('excessBlobGas'),
    parentBeaconBlockRoot: block.optionalHash('parentBeaconBlockRoot'),
    requestsHash: block.optionalHash('requestsHash'),
  })
}

/** A header and whether its members give the hash that the upstream names. */
export interface HeaderReading {
  readonly header: Header
  readonly hash: Hash
  /** False: the header has members that this node does not know, as on some layer-2 chains. */
  readonly isVerified: boolean
}

/** @throws ForkError FORK_DATA_INVALID */
export function readHeaderReply(block: ReplyObject): HeaderReading {
  const header = readHeaderMembers(block)
  const hash = block.hash('hash')
  return { header, hash, isVerified: hasHash(header, hash) }
}

/**
 * A header whose members give its hash.
 *
 * @throws ForkError FORK_DATA_UNKNOWN, FORK_DATA_INVALID
 */
export function readVerifiedHeader(block: ReplyObject): HeaderReading {
  const reading = readHeaderReply(block)
  if (reading.isVerified) return reading
  throw new ForkError(
    'FORK_DATA_UNKNOWN',
    `block ${reading.header.number} does not have the hash ${reading.hash} that the upstream names: it has members that this node does not know, or they are wrong`,
  )
}

function hasHash(header: Header, hash: Hash): boolean {
  try {
    return hashHeader(header) === hash
  } catch {
    // A member of a later fork without those of an earlier one.
    return false
  }
}
