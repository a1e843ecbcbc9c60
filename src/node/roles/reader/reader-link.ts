import type { Address, Bytes } from '../../../primitives/hex.ts'
import type { SetHeadResult } from '../../core/results.ts'
import type { StreamSettings, SubmitReply } from '../../log/record-source.ts'

/** Where a process begins that reads the store of a node on this machine. */
export interface ReaderBeginning {
  /** Of the node that is followed. */
  readonly directory: string
  readonly settings: StreamSettings
  /** Records that are in the files: the first and the last one. */
  readonly from: number
  readonly to: number
  /** The record as of which the pool is: later ones are not in it. */
  readonly poolSequence: number
}

/** What such a process asks of the one that writes. */
export interface ReaderLink {
  /**
   * @param from the sender, which was recovered here
   * @throws when it is not known whether the transaction was taken
   */
  submit(raw: Bytes, from: Address): Promise<SubmitReply>
  /** Settles when all readers show a record, but for those that hang. */
  reached(sequence: number): Promise<void>
  /** `sequence`: of the head that shows what was done. */
  setHead(number: number): Promise<{ readonly result: SetHeadResult; readonly sequence: number }>
}
