import type { Address, Bytes } from '../../../primitives/hex.ts'
import type { SetHeadResult } from '../../core/results.ts'
import type { StreamSettings, SubmitReply } from '../../log/record-source.ts'

/** Where a reader of a node's store on this machine starts. */
export interface ReaderHandover {
  /** Data directory of the followed node. */
  readonly directory: string
  readonly settings: StreamSettings
  /** Records that are in the files: the first and the last one. */
  readonly from: number
  readonly to: number
  /** The pool is as of this record. */
  readonly poolSequence: number
}

/** A reader's requests to the process that writes. */
export interface ReaderLink {
  /**
   * @param from the sender, which was recovered here
   * @throws when it is unknown whether the transaction was accepted
   */
  submit(raw: Bytes, from: Address): Promise<SubmitReply>
  /** Resolves when all responsive readers show a record. */
  reached(sequence: number): Promise<void>
  /** `sequence`: of the head that shows what was done. */
  setHead(number: number): Promise<{ readonly result: SetHeadResult; readonly sequence: number }>
}
