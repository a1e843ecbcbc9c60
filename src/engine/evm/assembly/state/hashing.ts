import { absorbBlocks, finish, reset } from '../../../../primitives/assembly/keccak-256.ts'
import { STATE_SIZE } from '../../../../primitives/assembly/keccak-f1600.ts'

/** All zero between messages. */
const STATE = memory.data(<i32>STATE_SIZE, 16)

/** keccak-256 of bytes, as 32 bytes. */
export function hashBytes(data: usize, length: usize, digest: usize): void {
  const taken = absorbBlocks(STATE, data, length)
  finish(STATE, data + taken, length - taken, digest)
  reset(STATE)
}
