import { codeSize, jumpdests } from './frames.ts'

/** Whether a jump target is valid: a JUMPDEST that is not PUSH data. */
export function isJumpdest(target: usize): bool {
  return target < codeSize && ((load<u8>(jumpdests + (target >> 3)) >> (<u8>target & 7)) & 1) !== 0
}
