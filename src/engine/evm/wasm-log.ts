import type { Log } from '../../chain/receipt/log.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import type { Evm } from './evm.ts'
import type { WasmState } from './wasm-state.ts'

/** Emitter of the logs that stand for value transfers (spec-facts 9.7). */
const TRANSFER_EMITTER = `0x${'ee'.repeat(20)}` as Address

// Places in a log: `assembly/logs.ts`.
const EMITTER = 4
const TOPICS = 8
const SIZE = 12
const PLACE = 16
const CONTENT = 20

/** How many logs were emitted before it in its message, those of failed frames included. */
export function placeOfLog(evm: Evm, log: number): number {
  return evm.number(log + PLACE)
}

/** The log at a place of the interpreter's memory. */
export function readLog(state: WasmState, log: number): Log {
  const { evm } = state
  const emitter = evm.number(log + EMITTER)
  const count = evm.number(log + TOPICS)
  const topics = new Array<Hash>(count)
  for (let index = 0; index < count; index++) topics[index] = evm.hash(log + CONTENT + 32 * index)
  return {
    address: emitter === 0 ? TRANSFER_EMITTER : state.addressOf(emitter),
    topics,
    data: evm.copy(log + CONTENT + 32 * count, evm.number(log + SIZE)),
  }
}
