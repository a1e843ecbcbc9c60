import {
  ACCOUNT_ADDRESS,
  LOG_CONTENT,
  LOG_DATA_SIZE,
  LOG_EMITTER,
  LOG_INDEX,
  LOG_PREVIOUS,
  LOG_TOPIC_COUNT,
} from '../../abi/records.ts'
import { allocate } from '../memory/arena.ts'
import { TRANSACTION_ARENA } from '../session-state.ts'
import { TRACES, traceLog } from '../tracing.ts'
import { copyAddress, isZero, reverseWord } from '../words/word.ts'

/** Logs of the transaction, newest first; a failing frame drops its own. */

export let lastLog: usize = 0
/** Emitted logs, including those of failed frames. */
export let emittedLogs: u32 = 0
/** Whether value transfers emit logs (`eth_simulateV1`). */
export let tracesTransfers = false

export function clearLogs(): void {
  lastLog = 0
  emittedLogs = 0
}

export function setLastLog(log: usize): void {
  lastLog = log
}

export function setTracesTransfers(value: bool): void {
  tracesTransfers = value
}

/** Topics are `topics` words of 32 bytes each, from `firstTopic` downwards. */
export function addLog(account: usize, topics: u32, firstTopic: usize, data: usize, size: usize): void {
  const log = createLog(account, topics, size)
  let topic = firstTopic
  for (let index: u32 = 0; index < topics; index++) {
    reverseWord(log + LOG_CONTENT + (index << 5), topic)
    topic -= 32
  }
  memory.copy(log + LOG_CONTENT + (topics << 5), data, size)
  if (TRACES) traceLog(log)
}

/** keccak-256 of `Transfer(address,address,uint256)`, as bytes. */
const TRANSFER = memory.data<u8>([
  0xdd, 0xf2, 0x52, 0xad, 0x1b, 0xe2, 0xc8, 0x9b, 0x69, 0xc2, 0xb0, 0x68, 0xfc, 0x37, 0x8d, 0xaa, 0x95, 0x2b, 0xa7,
  0xf1, 0x63, 0xc4, 0xa1, 0x16, 0x28, 0xf5, 0x5a, 0x4d, 0xf5, 0x23, 0xb3, 0xef,
])
const WORD_OF_ADDRESS = memory.data(32, 16)

/** Logs a value transfer without an emitter, if enabled. */
export function addTransferLog(from: usize, to: usize, value: usize): void {
  if (!tracesTransfers || isZero(value)) return
  const log = createLog(0, 3, 32)
  memory.copy(log + LOG_CONTENT, TRANSFER, 32)
  copyAddress(WORD_OF_ADDRESS, from + ACCOUNT_ADDRESS)
  reverseWord(log + LOG_CONTENT + 32, WORD_OF_ADDRESS)
  copyAddress(WORD_OF_ADDRESS, to + ACCOUNT_ADDRESS)
  reverseWord(log + LOG_CONTENT + 64, WORD_OF_ADDRESS)
  reverseWord(log + LOG_CONTENT + 96, value)
}

/** A transfer of a refused frame still takes a position in the order. */
export function skipTransferLog(value: usize): void {
  if (tracesTransfers && !isZero(value)) emittedLogs++
}

function createLog(account: usize, topics: u32, size: usize): usize {
  const log = allocate(TRANSACTION_ARENA, LOG_CONTENT + (topics << 5) + size)
  store<usize>(log, lastLog, LOG_PREVIOUS)
  store<usize>(log, account, LOG_EMITTER)
  store<u32>(log, topics, LOG_TOPIC_COUNT)
  store<usize>(log, size, LOG_DATA_SIZE)
  store<u32>(log, emittedLogs, LOG_INDEX)
  emittedLogs++
  lastLog = log
  return log
}
