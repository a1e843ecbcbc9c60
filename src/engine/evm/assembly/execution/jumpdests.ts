import { codeSize, jumpdests } from './frames.ts'

/** Whether the running frame may jump there: to a JUMPDEST that is no data of a PUSH. */
export function isJumpdest(target: usize): bool {
  return target < codeSize && ((load<u8>(jumpdests + (target >> 3)) >> (<u8>target & 7)) & 1) !== 0
}
