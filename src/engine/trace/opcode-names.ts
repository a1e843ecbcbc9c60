import * as Opcode from '../evm/abi/opcodes.ts'

/** Names of instructions as go-ethereum writes them (core/vm/opcodes.go). */
const NAMES: Readonly<Record<number, string>> = {
  ...Object.fromEntries(Object.entries(Opcode).map(([name, opcode]) => [opcode, name])),
  [Opcode.PREVRANDAO]: 'DIFFICULTY',
  ...numbered(Opcode.PUSH1, 'PUSH', 1, 32),
  ...numbered(Opcode.DUP1, 'DUP', 1, 16),
  ...numbered(Opcode.SWAP1, 'SWAP', 1, 16),
  ...numbered(Opcode.LOG0, 'LOG', 0, 5),
}

/** @example opcodeName(0x60) // 'PUSH1' */
export function opcodeName(opcode: number): string {
  return NAMES[opcode] ?? `opcode 0x${opcode.toString(16)} not defined`
}

function numbered(first: number, name: string, number: number, count: number): Record<number, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [first + index, `${name}${number + index}`]))
}
