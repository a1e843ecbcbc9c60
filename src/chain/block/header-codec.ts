import { type Bytes, type Hash, hexToBytes, ZERO_HASH } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { decodeRlp, RlpError, type RlpItem, type RlpSource } from '../../primitives/rlp.ts'
import {
  encodedLength,
  endList,
  keepEncoding,
  pushBigint,
  pushBytes,
  pushHex,
  pushNumber,
  startReused,
} from '../../primitives/rlp-parts.ts'
import { EncodedRlp } from '../../primitives/rlp-writer.ts'
import { EMPTY_REQUESTS_HASH, EMPTY_TRIE_ROOT, EMPTY_UNCLES_HASH } from '../constants.ts'
import { readAddress, readBytes, readHash, readList, readNumber, readUint64, readUint256 } from '../rlp-fields.ts'
import { createHeader, type Header } from './header.ts'

/** Number of header members: before London, and from London, Shanghai, Cancun and Prague on. */
const HEADER_LENGTHS = [15, 16, 17, 20, 21]

/**
 * The header that was encoded last. One header is encoded three times in a row: for its hash, for the size of its block
 * and for its record.
 */
let newest: { readonly header: Header; readonly encoded: Bytes } | undefined

/**
 * The RLP of a header, with the members of later forks that are present.
 *
 * @throws RlpError when a member is present without one of an earlier fork
 */
export function encodeHeader(header: Header): Bytes {
  if (newest?.header === header) return newest.encoded
  startReused()
  pushHeader(header)
  const encoded = keepEncoding()
  newest = { header, encoded }
  return encoded
}

/** The block hash. */
export function hashHeader(header: Header): Hash {
  return keccakHash(encodeHeader(header))
}

/** @throws RlpError unless it is the header of a fork up to Osaka */
export function decodeHeader(raw: Bytes): Header {
  return readHeader(decodeRlp(raw))
}

/** The header as a member of a list. */
export function headerItem(header: Header): RlpSource {
  return new EncodedRlp(encodeHeader(header))
}

/** Values that most headers of a chain share, with their bytes: compared by identity instead of parsing their hex. */
interface SharedValue {
  readonly hex: Hash
  readonly bytes: Bytes
}

const sharedValue = (hex: Hash): SharedValue => ({ hex, bytes: hexToBytes(hex) })
const ZERO = sharedValue(ZERO_HASH)
const NO_ENTRIES = sharedValue(EMPTY_TRIE_ROOT)
const NO_UNCLES = sharedValue(EMPTY_UNCLES_HASH)
const NO_REQUESTS = sharedValue(EMPTY_REQUESTS_HASH)

/** Pushes a header, last member first. */
function pushHeader(header: Header): void {
  const before = encodedLength()
  pushForkMembers(header)
  pushBytes(header.nonce)
  pushHash(header.mixHash, ZERO)
  pushBytes(header.extraData)
  pushBigint(header.timestamp)
  pushNumber(header.gasUsed)
  pushBigint(header.gasLimit)
  pushNumber(header.number)
  pushBigint(header.difficulty)
  pushBytes(header.logsBloom)
  pushHash(header.receiptsRoot, NO_ENTRIES)
  pushHash(header.transactionsRoot, NO_ENTRIES)
  pushHash(header.stateRoot, ZERO)
  pushHex(header.miner)
  pushHash(header.sha3Uncles, NO_UNCLES)
  pushHash(header.parentHash, ZERO)
  endList(before)
}

/** Pushes the members of later forks. */
function pushForkMembers(header: Header): void {
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash } = header
  const members = [baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash]
  const count = members.indexOf(undefined)
  if (count >= 0 && members.some((member, index) => index > count && member !== undefined)) {
    throw new RlpError('a header lacks a member of a fork before its newest')
  }
  if (requestsHash !== undefined) pushHash(requestsHash, NO_REQUESTS)
  if (parentBeaconBlockRoot !== undefined) pushHash(parentBeaconBlockRoot, ZERO)
  if (excessBlobGas !== undefined) pushBigint(excessBlobGas)
  if (blobGasUsed !== undefined) pushNumber(blobGasUsed)
  if (withdrawalsRoot !== undefined) pushHash(withdrawalsRoot, NO_ENTRIES)
  if (baseFeePerGas !== undefined) pushBigint(baseFeePerGas)
}

function pushHash(hash: Hash, { hex, bytes }: SharedValue): void {
  if (hash === hex) pushBytes(bytes)
  else pushHex(hash)
}

/** Reads the header of a block's list. */
export function readHeader(item: RlpItem | undefined): Header {
  const list = readList(item, 'a header', HEADER_LENGTHS)
  const length = list.length
  return createHeader({
    parentHash: readHash(list[0], 'parentHash'),
    sha3Uncles: readHash(list[1], 'sha3Uncles'),
    miner: readAddress(list[2], 'miner'),
    stateRoot: readHash(list[3], 'stateRoot'),
    transactionsRoot: readHash(list[4], 'transactionsRoot'),
    receiptsRoot: readHash(list[5], 'receiptsRoot'),
    logsBloom: readBytes(list[6], 'logsBloom', 256),
    difficulty: readUint256(list[7], 'difficulty'),
    number: readNumber(list[8], 'number'),
    gasLimit: readUint64(list[9], 'gasLimit'),
    gasUsed: readNumber(list[10], 'gasUsed'),
    timestamp: readUint64(list[11], 'timestamp'),
    extraData: readBytes(list[12], 'extraData'),
    mixHash: readHash(list[13], 'mixHash'),
    nonce: readBytes(list[14], 'nonce', 8),
    baseFeePerGas: length > 15 ? readUint256(list[15], 'baseFeePerGas') : undefined,
    withdrawalsRoot: length > 16 ? readHash(list[16], 'withdrawalsRoot') : undefined,
    blobGasUsed: length > 17 ? readNumber(list[17], 'blobGasUsed') : undefined,
    excessBlobGas: length > 17 ? readUint64(list[18], 'excessBlobGas') : undefined,
    parentBeaconBlockRoot: length > 17 ? readHash(list[19], 'parentBeaconBlockRoot') : undefined,
    requestsHash: length > 20 ? readHash(list[20], 'requestsHash') : undefined,
  })
}
