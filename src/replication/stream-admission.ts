import type { SourceErrorCode, StreamHello, StreamIdentity } from '../node/log/record-source.ts'
import type { Hash } from '../primitives/hex.ts'

/** State of the followed node. */
export interface StreamFacts extends StreamIdentity {
  /** The oldest retained record, and the newest durable one. */
  readonly firstSequence: number
  readonly newestSequence: number
  /** Whether the oldest record begins the first block after genesis. */
  readonly reachesGenesis: boolean
  /** The newest sealed block. */
  readonly latest: number
  readonly blockHash: (number: number) => Hash | undefined
  /** keccak-256 of a retained record. */
  readonly recordHash: (sequence: number) => Hash | undefined
}

export type StreamAdmission =
  | { readonly kind: 'records'; readonly from: number }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'refused'; readonly code: SourceErrorCode; readonly message: string }

/** Decides where a replica resumes, or why it is refused. Pure. */
export function admitReplica(hello: StreamHello, facts: StreamFacts): StreamAdmission {
  const { cursor, finalized } = hello
  if (hello.chainId !== facts.chainId || hello.genesisHash !== facts.genesisHash) {
    return refused(
      'FOREIGN_CHAIN',
      `this node has chain ${facts.chainId} with genesis ${facts.genesisHash}, the replica chain ` +
        `${hello.chainId} with ${hello.genesisHash}: start the replica with the same --network and genesis flags`,
    )
  }
  // A common record is stronger evidence than any block: one side may finalize a block slightly later than the other.
  if (cursor !== undefined && cursor.sequence >= facts.firstSequence && cursor.sequence <= facts.newestSequence) {
    if (facts.recordHash(cursor.sequence) === cursor.hash) return { kind: 'records', from: cursor.sequence + 1 }
    return forked(`record ${cursor.sequence} is another one`)
  }
  if (finalized !== undefined) {
    if (finalized.number > facts.latest) return behind(`block ${finalized.number}`)
    if (facts.blockHash(finalized.number) !== finalized.hash) return forked(`block ${finalized.number} is another one`)
  }
  if (cursor !== undefined && cursor.sequence > facts.newestSequence) return behind(`record ${cursor.sequence}`)
  return cursor === undefined && facts.reachesGenesis ? { kind: 'records', from: facts.firstSequence } : SNAPSHOT
}

const SNAPSHOT: StreamAdmission = { kind: 'snapshot' }

function behind(what: string): StreamAdmission {
  return refused('BEHIND', `the replica has ${what}, which is not here yet`)
}

function forked(difference: string): StreamAdmission {
  return refused(
    'FORKED',
    `the replica's history is not this node's: ${difference}. If this node is the right one, remove the ` +
      `replica's data directory and start it again`,
  )
}

function refused(code: SourceErrorCode, message: string): StreamAdmission {
  return { kind: 'refused', code, message }
}
