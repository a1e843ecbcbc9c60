import type { Bytes, Hash } from '../primitives/hex.ts'
import { keccakHash } from '../primitives/keccak.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpItem, type RlpSource } from '../primitives/rlp.ts'
import { transientRlp } from '../primitives/rlp-writer.ts'
import type { Header } from './header.ts'
import { readAddress, readBytes, readHash, readList, readNumber, readUint64, readUint256 } from './rlp-fields.ts'

/** Members of a header by fork: up to Paris, London, Shanghai, Cancun, Prague. */
const HEADER_LENGTHS = [15, 16, 17, 20, 21]

/**
 * The RLP of a header; the members of later forks as far as they are there.
 *
 * @throws RlpError when a member is there and one of an earlier fork is not
 */
export function encodeHeader(header: Header): Bytes {
  return encodeRlp(headerItem(header))
}

/** The block hash. */
export function hashHeader(header: Header): Hash {
  return hashedHeader(header).hash
}

/** The block hash, and how many bytes the header's RLP has. */
export function hashedHeader(header: Header): { readonly hash: Hash; readonly length: number } {
  const raw = transientRlp(headerItem(header), undefined)
  return { hash: keccakHash(raw), length: raw.length }
}

/** @throws RlpError when it is not the header of a fork up to Osaka */
export function decodeHeader(raw: Bytes): Header {
  return readHeader(decodeRlp(raw))
}

/** The header as the member of a block. */
export function headerItem(header: Header): readonly RlpSource[] {
  const items: RlpSource[] = [
    header.parentHash,
    header.sha3Uncles,
    header.miner,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    header.difficulty,
    header.number,
    header.gasLimit,
    header.gasUsed,
    header.timestamp,
    header.extraData,
    header.mixHash,
    header.nonce,
  ]
  const later = [
    header.baseFeePerGas,
    header.withdrawalsRoot,
    header.blobGasUsed,
    header.excessBlobGas,
    header.parentBeaconBlockRoot,
    header.requestsHash,
  ]
  let isEnded = false
  for (const item of later) {
    if (item === undefined) isEnded = true
    else if (isEnded) throw new RlpError('a header lacks a member of a fork before its newest')
    else items.push(item)
  }
  return items
}

/** The header out of a block's list. */
export function readHeader(item: RlpItem | undefined): Header {
  const list = readList(item, 'a header', HEADER_LENGTHS)
  return {
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
    ...(list.length > 15 && { baseFeePerGas: readUint256(list[15], 'baseFeePerGas') }),
    ...(list.length > 16 && { withdrawalsRoot: readHash(list[16], 'withdrawalsRoot') }),
    ...(list.length > 17 && {
      blobGasUsed: readNumber(list[17], 'blobGasUsed'),
      excessBlobGas: readUint64(list[18], 'excessBlobGas'),
      parentBeaconBlockRoot: readHash(list[19], 'parentBeaconBlockRoot'),
    }),
    ...(list.length > 20 && { requestsHash: readHash(list[20], 'requestsHash') }),
  }
}
