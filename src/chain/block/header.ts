import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { ForeignMembers } from '../foreign-members.ts'

/** A block header. The members of later forks are absent or undefined before them. */
export interface Header {
  readonly parentHash: Hash
  readonly sha3Uncles: Hash
  readonly miner: Address
  readonly stateRoot: Hash
  readonly transactionsRoot: Hash
  readonly receiptsRoot: Hash
  /** 256 bytes. */
  readonly logsBloom: Bytes
  readonly difficulty: bigint
  readonly number: number
  readonly gasLimit: bigint
  readonly gasUsed: number
  /** Unix seconds. */
  readonly timestamp: bigint
  readonly extraData: Bytes
  readonly mixHash: Hash
  /** 8 bytes. */
  readonly nonce: Bytes
  /** Wei per gas; London (EIP-1559). */
  readonly baseFeePerGas?: bigint
  /** Shanghai (EIP-4895); on layer 2 the storage root of the message passer (Isthmus). */
  readonly withdrawalsRoot?: Hash
  /** Cancun (EIP-4844); on layer 2 the DA footprint (Jovian). */
  readonly blobGasUsed?: number
  /** Cancun (EIP-4844). */
  readonly excessBlobGas?: bigint
  /** Cancun (EIP-4788). */
  readonly parentBeaconBlockRoot?: Hash
  /** Prague (EIP-7685). */
  readonly requestsHash?: Hash
  /** Members that only the forked chain knows; no part of the encoding. */
  readonly foreign?: ForeignMembers
}

/**
 * A frozen header. All headers are created here so that they share one hidden class, whatever their fork and source:
 * code that V8 optimised for the header of a sealed block also fits one that was decoded.
 */
export function createHeader(members: Header): Header {
  return Object.freeze({
    parentHash: members.parentHash,
    sha3Uncles: members.sha3Uncles,
    miner: members.miner,
    stateRoot: members.stateRoot,
    transactionsRoot: members.transactionsRoot,
    receiptsRoot: members.receiptsRoot,
    logsBloom: members.logsBloom,
    difficulty: members.difficulty,
    number: members.number,
    gasLimit: members.gasLimit,
    gasUsed: members.gasUsed,
    timestamp: members.timestamp,
    extraData: members.extraData,
    mixHash: members.mixHash,
    nonce: members.nonce,
    baseFeePerGas: members.baseFeePerGas,
    withdrawalsRoot: members.withdrawalsRoot,
    blobGasUsed: members.blobGasUsed,
    excessBlobGas: members.excessBlobGas,
    parentBeaconBlockRoot: members.parentBeaconBlockRoot,
    requestsHash: members.requestsHash,
    foreign: members.foreign,
  })
}
