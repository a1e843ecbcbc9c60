export const JUMP_OPCODE = 0x56
export const JUMPI_OPCODE = 0x57
export const JUMPDEST_OPCODE = 0x5b

/** Instructions from a number on: name, words taken, words given. Names are go-ethereum's (core/vm/opcodes.go). */
const RUNS: readonly (readonly [first: number, rows: string])[] = [
  [
    0x00,
    'STOP 0 0,ADD 2 1,MUL 2 1,SUB 2 1,DIV 2 1,SDIV 2 1,MOD 2 1,SMOD 2 1,ADDMOD 3 1,MULMOD 3 1,EXP 2 1,SIGNEXTEND 2 1',
  ],
  [
    0x10,
    'LT 2 1,GT 2 1,SLT 2 1,SGT 2 1,EQ 2 1,ISZERO 1 1,AND 2 1,OR 2 1,XOR 2 1,NOT 1 1,BYTE 2 1,SHL 2 1,SHR 2 1,SAR 2 1,CLZ 1 1',
  ],
  [0x20, 'KECCAK256 2 1'],
  [
    0x30,
    'ADDRESS 0 1,BALANCE 1 1,ORIGIN 0 1,CALLER 0 1,CALLVALUE 0 1,CALLDATALOAD 1 1,CALLDATASIZE 0 1,CALLDATACOPY 3 0,' +
      'CODESIZE 0 1,CODECOPY 3 0,GASPRICE 0 1,EXTCODESIZE 1 1,EXTCODECOPY 4 0,RETURNDATASIZE 0 1,RETURNDATACOPY 3 0,' +
      'EXTCODEHASH 1 1',
  ],
  [
    0x40,
    'BLOCKHASH 1 1,COINBASE 0 1,TIMESTAMP 0 1,NUMBER 0 1,DIFFICULTY 0 1,GASLIMIT 0 1,CHAINID 0 1,SELFBALANCE 0 1,' +
      'BASEFEE 0 1,BLOBHASH 1 1,BLOBBASEFEE 0 1',
  ],
  [
    0x50,
    'POP 1 0,MLOAD 1 1,MSTORE 2 0,MSTORE8 2 0,SLOAD 1 1,SSTORE 2 0,JUMP 1 0,JUMPI 2 0,PC 0 1,MSIZE 0 1,GAS 0 1,' +
      'JUMPDEST 0 0,TLOAD 1 1,TSTORE 2 0,MCOPY 3 0',
  ],
  [0x5f, Array.from({ length: 33 }, (_, size) => `PUSH${size} 0 1`).join()],
  [0x80, Array.from({ length: 16 }, (_, index) => `DUP${index + 1} ${index + 1} ${index + 2}`).join()],
  [0x90, Array.from({ length: 16 }, (_, index) => `SWAP${index + 1} ${index + 2} ${index + 2}`).join()],
  [0xa0, Array.from({ length: 5 }, (_, topics) => `LOG${topics} ${topics + 2} 0`).join()],
  [0xf0, 'CREATE 3 1,CALL 7 1,CALLCODE 7 1,RETURN 2 0,DELEGATECALL 6 1,CREATE2 4 1'],
  [0xfa, 'STATICCALL 6 1'],
  [0xfd, 'REVERT 2 0,INVALID 0 0,SELFDESTRUCT 1 0'],
]

const OPCODES = 256
const names: (string | undefined)[] = Array.from({ length: OPCODES })
/** Words by which an instruction makes the stack higher. */
const deltas = new Int8Array(OPCODES)
for (const [first, rows] of RUNS) {
  for (const [index, row] of rows.split(',').entries()) {
    const [name, taken, given] = row.split(' ')
    names[first + index] = name
    deltas[first + index] = Number(given) - Number(taken)
  }
}

/** @example instructionName(0x60) // 'PUSH1' */
export function instructionName(opcode: number): string {
  return names[opcode] ?? `opcode 0x${opcode.toString(16)}`
}

/** Words by which an instruction makes the stack higher; a call gives its result when it returns. */
export function stackDelta(opcode: number): number {
  return deltas[opcode]!
}
