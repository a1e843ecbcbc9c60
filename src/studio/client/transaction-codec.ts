import { fromRlp, keccak256 } from 'viem'
import type { TransactionCodec } from '../../live/flashblock-arrival.ts'

/** Decoding of transactions in browsers. */
export const transactionCodec: TransactionCodec = {
  hash: (raw) => keccak256(raw),
  members: (rlp) => fromRlp(rlp, 'hex') as unknown as readonly unknown[],
}
