import type { Address, Bytes } from '../primitives/hex.ts'
import { recoverAddress, type Signature } from '../primitives/secp256k1.ts'

/** Finds who signed what. */
export interface SenderRecovery {
  /**
   * Answers come in the order of the questions.
   *
   * @param hash 32 bytes, what was signed
   * @returns `undefined`: nobody could have made this signature
   */
  recover(hash: Bytes, signature: Signature): Promise<Address | undefined>
}

/** One after the other, on the thread that asks. */
export const recoverHere: SenderRecovery = {
  recover: async (hash, signature) => recoverAddress(hash, signature),
}
