import type { SignedTransaction } from '../../chain/transaction/transaction.ts'
import { signingHash } from '../../chain/transaction/transaction-codec.ts'
import type { Address } from '../../primitives/hex.ts'
import { recoverAddress } from '../../primitives/secp256k1.ts'

/** Finds who signed what. */
export interface SenderRecovery {
  /**
   * Answers come in the order of the questions.
   *
   * @param transaction as it was decoded from its bytes
   * @returns `undefined`: the signature is invalid
   */
  recover(transaction: SignedTransaction): Promise<Address | undefined>
}

/** One after the other, on the thread that asks. */
export const recoverHere: SenderRecovery = {
  recover: async (transaction) => senderOf(transaction),
}

export function senderOf(transaction: SignedTransaction): Address | undefined {
  return recoverAddress(signingHash(transaction), transaction.signature)
}
