import { type Hash, hexToBytes } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'

/** The content that an output root commits to. */
export interface Output {
  readonly stateRoot: Hash
  /** Storage root of the message passer. */
  readonly withdrawalStorageRoot: Hash
  readonly blockHash: Hash
}

/** The output root of a layer-2 block, version 0: what withdrawals are proven against (OP-stack specs: proposals). */
export function outputRoot({ stateRoot, withdrawalStorageRoot, blockHash }: Output): Hash {
  const bytes = new Uint8Array(128)
  bytes.set(hexToBytes(stateRoot), 32)
  bytes.set(hexToBytes(withdrawalStorageRoot), 64)
  bytes.set(hexToBytes(blockHash), 96)
  return keccakHash(bytes)
}
