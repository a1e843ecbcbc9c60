import type { SignedTransaction } from '../../chain/transaction/transaction.ts'
import { signingHash } from '../../chain/transaction/transaction-codec.ts'
import type { Address } from '../../primitives/hex.ts'
import { recoverAddress } from '../../primitives/secp256k1/secp256k1.ts'

/** Recovers the senders of transactions. */
export interface SenderRecovery {
  /**
   * Results arrive in the order of the calls.
   *
   * @param transaction decoded from its bytes
   * @returns `undefined`: the signature is invalid
   */
  recover(transaction: SignedTransaction): Promise<Address | undefined>
}

/** Recovers synchronously, on the calling thread. */
export const recoverHere: SenderRecovery = {
  recover: async (transaction) => senderOf(transaction),
}

export function senderOf(transaction: SignedTransaction): Address | undefined {
  return recoverAddress(signingHash(transaction), transaction.signature)
}
