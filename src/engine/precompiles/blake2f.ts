import type { Bytes } from '../../primitives/hex.ts'
import { instantiateWasm } from '../../primitives/wasm-instance.ts'
import type { Precompile } from '../precompile.ts'

/** Exports of `assembly/blake2f.ts`. */
interface Blake2Module {
  readonly memory: WebAssembly.Memory
  readonly STATE: WebAssembly.Global
  readonly MESSAGE: WebAssembly.Global
  readonly OFFSET: WebAssembly.Global
  compress(rounds: number, final: number): void
}

const wasm = instantiateWasm<Blake2Module>(new URL('./blake2f.wasm', import.meta.url))
// The module never grows its memory, so a view stays valid.
const memory = new Uint8Array(wasm.memory.buffer)
const STATE = wasm.STATE.value
const MESSAGE = wasm.MESSAGE.value
const OFFSET = wasm.OFFSET.value

const INPUT_SIZE = 213
const STATE_SIZE = 64

/** 0x09 (EIP-152): BLAKE2b compression; input is rounds, h, m, t and the final block flag. */
export const blake2f: Precompile = {
  gas: (input) => (input.length === INPUT_SIZE ? BigInt(roundsOf(input)) : 0n),
  run(input) {
    const final = input[212]
    if (input.length !== INPUT_SIZE || (final !== 0 && final !== 1)) return undefined
    memory.set(input.subarray(4, 68), STATE)
    memory.set(input.subarray(68, 196), MESSAGE)
    memory.set(input.subarray(196, 212), OFFSET)
    wasm.compress(roundsOf(input), final)
    return memory.slice(STATE, STATE + STATE_SIZE)
  },
}

function roundsOf(input: Bytes): number {
  return ((input[0]! << 24) | (input[1]! << 16) | (input[2]! << 8) | input[3]!) >>> 0
}
