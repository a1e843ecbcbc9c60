import type { Log } from '../../chain/receipt/log.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import { LOG_CONTENT, LOG_DATA_SIZE, LOG_EMITTER, LOG_INDEX, LOG_TOPIC_COUNT } from './abi/records.ts'
import type { Evm } from './evm.ts'
import type { WasmState } from './wasm-state.ts'

/** Emitter of the logs that stand for value transfers (`eth_simulateV1`). */
const TRANSFER_EMITTER = `0x${'ee'.repeat(20)}` as Address

/** Position among all logs of the message, including those of failed frames. */
export function positionOfLog(evm: Evm, log: number): number {
  return evm.number(log + LOG_INDEX)
}

/** Reads the log at an address of the interpreter's memory. */
export function readEmittedLog(state: WasmState, log: number): Log {
  const { evm } = state
  const emitter = evm.number(log + LOG_EMITTER)
  const count = evm.number(log + LOG_TOPIC_COUNT)
  const topics = new Array<Hash>(count)
  for (let index = 0; index < count; index++) topics[index] = evm.hash(log + LOG_CONTENT + 32 * index)
  return {
    address: emitter === 0 ? TRANSFER_EMITTER : state.addressOf(emitter),
    topics,
    data: evm.copy(log + LOG_CONTENT + 32 * count, evm.number(log + LOG_DATA_SIZE)),
  }
}
