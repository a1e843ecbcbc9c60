import type { Bytes } from '../../primitives/hex.ts'

const PUSH1 = 0x60
const PUSH32 = 0x7f

/** Bytes of an instruction: a PUSH has its data behind it. */
function instructionBytes(opcode: number): number {
  return opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH1 + 2 : 1
}

/** The index of the instruction at each byte of code; -1 in the data of a PUSH. */
export function instructionIndexes(code: Bytes): Int32Array {
  const indexes = new Int32Array(code.length).fill(-1)
  let index = 0
  for (let at = 0; at < code.length; at += instructionBytes(code[at]!)) indexes[at] = index++
  return indexes
}
