import type { Address, Bytes } from '../../primitives/hex.ts'
import type { SetHeadResult } from '../core/results.ts'
import type { LeaderReply, LeaderRequest, StreamSettings, SubmitReply } from '../log/record-source.ts'

/** Where a reader of another process's store starts. */
export interface ReaderHandover {
  /** Data directory of the followed node. */
  readonly directory: string
  readonly settings: StreamSettings
  /** Records that are in the files: the first and the last one. */
  readonly from: number
  readonly to: number
  /** The record as of which the pool is. */
  readonly poolSequence: number
}

/** A reader's requests to the writer process. */
export interface ReaderLink {
  /**
   * @param from the sender, as recovered by the reader
   * @throws when it is unknown whether the transaction was accepted
   */
  submit(raw: Bytes, from: Address): Promise<SubmitReply>
  /** Resolves when all responsive readers have applied a record. */
  reached(sequence: number): Promise<void>
  /** @throws when it is unknown whether the request was carried out */
  request(request: LeaderRequest): Promise<LeaderReply>
  /** `sequence`: of the head after the operation. */
  setHead(number: number): Promise<{ readonly result: SetHeadResult; readonly sequence: number }>
}
