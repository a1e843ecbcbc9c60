import { CONTINUE, OUT_OF_GAS, WRITE_PROTECTION } from '../../abi/status.ts'
import { charge, frame, IS_STATIC, memoryBase, pop, SELF } from '../memory/frames.ts'
import { addLog } from '../state/logs.ts'
import { NOT_A_SIZE, toSize } from '../words/word.ts'
import { expandMemory } from './memory.ts'

const LOG_BYTE_GAS: i64 = 8

/** LOG0 to LOG4: memory offset, size, topics. */
export function emitLog(topics: u32): u32 {
  if (load<u32>(frame, IS_STATIC) !== 0) return WRITE_PROTECTION
  const words = pop(topics + 2)
  const firstTopic = words + ((topics - 1) << 5)
  const offset = toSize(words + ((topics + 1) << 5))
  const size = toSize(words + (topics << 5))
  if (size === NOT_A_SIZE || !charge(LOG_BYTE_GAS * <i64>size) || !expandMemory(offset, size)) return OUT_OF_GAS
  addLog(load<usize>(frame, SELF), topics, firstTopic, memoryBase + (size === 0 ? 0 : offset), size)
  return CONTINUE
}
