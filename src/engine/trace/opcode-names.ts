/** Names of instructions as go-ethereum writes them (core/vm/opcodes.go). */
const NAMES: Readonly<Record<number, string>> = {
  ...from(0x00, 'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND'),
  ...from(0x10, 'LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CLZ'),
  ...from(0x20, 'KECCAK256'),
  ...from(0x30, 'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY'),
  ...from(0x38, 'CODESIZE CODECOPY GASPRICE EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY EXTCODEHASH'),
  ...from(
    0x40,
    'BLOCKHASH COINBASE TIMESTAMP NUMBER DIFFICULTY GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBHASH BLOBBASEFEE',
  ),
  ...from(0x50, 'POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE MCOPY PUSH0'),
  ...numbered(0x60, 'PUSH', 1, 32),
  ...numbered(0x80, 'DUP', 1, 16),
  ...numbered(0x90, 'SWAP', 1, 16),
  ...numbered(0xa0, 'LOG', 0, 5),
  ...from(0xf0, 'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2'),
  250: 'STATICCALL',
  253: 'REVERT',
  254: 'INVALID',
  255: 'SELFDESTRUCT',
}

/** @example opcodeName(0x60) // 'PUSH1' */
export function opcodeName(opcode: number): string {
  return NAMES[opcode] ?? `opcode 0x${opcode.toString(16)} not defined`
}

function from(first: number, names: string): Record<number, string> {
  return Object.fromEntries(names.split(' ').map((name, index) => [first + index, name]))
}

function numbered(first: number, name: string, number: number, count: number): Record<number, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [first + index, `${name}${number + index}`]))
}
