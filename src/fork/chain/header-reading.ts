import { createHeader, type Header } from '../../chain/block/header.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import { type Hash, ZERO_HASH } from '../../primitives/hex.ts'
import { invalid, type ReplyObject } from '../source/reply-fields.ts'
import { BLOCK_MEMBERS, type ForeignData } from './foreign-data.ts'

const NO_NONCE = new Uint8Array(8)
const MAX_TIME = 2n ** 63n - 1n

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
    timestamp: timeOf(block),
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

/** Blocks follow this one, and their times have 64 bits as well. */
function timeOf(block: ReplyObject): bigint {
  const time = block.quantity('timestamp')
  if (time > MAX_TIME) throw invalid('a block', `its time ${time} leaves none for blocks after it`)
  return time
}

/** A header and whether its members give the hash that the upstream names. */
export interface HeaderReading {
  readonly header: Header
  readonly hash: Hash
  /** False: the header has members that this node does not know, or its chain hashes headers in another way. */
  readonly isVerified: boolean
}

/**
 * A header whose members give its hash, unless it has members that this node does not know or its chain hashes headers
 * in another way: such a header shows its members as the upstream gave them, also where blocks that cannot be verified
 * are refused.
 *
 * @throws ForkError FORK_DATA_INVALID
 */
export function readHeaderReply(block: ReplyObject, data: ForeignData): HeaderReading {
  const others = data.headerMembers(block)
  const header = readHeaderMembers(block)
  const hash = block.hash('hash')
  if (hasHash(header, hash)) {
    return {
      header: others === undefined ? header : createHeader({ ...header, foreign: others }),
      hash,
      isVerified: true,
    }
  }
  if (!data.mayExplain(others)) {
    throw invalid(`block ${header.number}`, `its members do not give the hash ${hash}`)
  }
  data.noteTrusted('headers')
  const given = block.without(BLOCK_MEMBERS)
  return { header: createHeader({ ...encodable(header), ...(given && { foreign: given }) }), hash, isVerified: false }
}

/**
 * Reads a header as `readHeaderReply`, for a block that is shown to clients.
 *
 * @throws ForkError FORK_DATA_UNKNOWN where nothing is trusted, FORK_DATA_INVALID
 */
export function readJudgedHeader(block: ReplyObject, data: ForeignData): HeaderReading {
  const reading = readHeaderReply(block, data)
  if (reading.isVerified) return reading
  data.trust(
    'headers',
    `block ${reading.header.number} does not have the hash ${reading.hash} that the upstream names, because it has members that this node does not know: --fork-verify known trusts it`,
  )
  return reading
}

function hasHash(header: Header, hash: Hash): boolean {
  try {
    return hashHeader(header) === hash
  } catch {
    // A member of a later fork without those of an earlier one.
    return false
  }
}

/** The members of forks, in the order of the encoding. */
const FORK_MEMBERS = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
] as const satisfies readonly (keyof Header)[]

/** The header as far as it can be stored: a member of a later fork needs those of the earlier ones. */
function encodable(header: Header): Header {
  const end = FORK_MEMBERS.findIndex((name) => header[name] === undefined)
  if (end === -1) return header
  return { ...header, ...Object.fromEntries(FORK_MEMBERS.slice(end).map((name) => [name, undefined])) }
}
