import {
  BERLIN,
  BYZANTIUM,
  CANCUN,
  CONSTANTINOPLE,
  FRONTIER,
  HOMESTEAD,
  ISTANBUL,
  LONDON,
  OSAKA,
  SHANGHAI,
  SPURIOUS_DRAGON,
  TANGERINE_WHISTLE,
} from '../../../chain/forks/ordinals.ts'
import * as Op from '../abi/opcodes.ts'
import { fork } from './session-rules.ts'

/**
 * Base gas of every instruction in one fork, i64 each; gas that depends on operands or warmth is charged by the
 * instruction.
 */
export const GAS_TABLE = memory.data(256 * 8, 16)
/** Words that every instruction takes from the stack and puts there in any fork that has it, one byte each. */
const STACK_TABLE = memory.data(256 * 2, 16)

/** Gas of an undefined instruction: more than any frame has. */
const UNDEFINED: i64 = i64.MAX_VALUE

const BASE: u32 = 2
const VERY_LOW: u32 = 3
const LOW: u32 = 5
const MID: u32 = 8
const HIGH: u32 = 10
const EXP_GAS: u32 = 10
/** For each byte of the exponent (EIP-160). */
export let expByteGas: i64 = 0
const KECCAK_GAS: u32 = 30
const BLOCKHASH_GAS: u32 = 20
export const JUMPDEST_GAS: u32 = 1
const LOG_GAS: u32 = 375
const CREATE_GAS: u32 = 32000
/** Gas of a warm access (EIP-2929) and of transient storage (EIP-1153). */
export const WARM_GAS: u32 = 100

/** @param since the fork that introduced the instruction */
function define(opcode: u32, gas: u32, pops: u32, pushes: u32, since: u32 = FRONTIER): void {
  store<i64>(GAS_TABLE + (opcode << 3), fork >= since ? gas : UNDEFINED)
  store<u8>(STACK_TABLE + (opcode << 1), <u8>pops)
  store<u8>(STACK_TABLE + (opcode << 1), <u8>pushes, 1)
}

/** Whether the fork has the instruction. */
export function isInstruction(opcode: u32): bool {
  return load<i64>(GAS_TABLE + (opcode << 3)) !== UNDEFINED
}

/** Words that the instruction takes from the stack. */
export function popsOf(opcode: u32): i32 {
  return load<u8>(STACK_TABLE + (opcode << 1))
}

/** Words that the instruction puts on the stack. */
export function pushesOf(opcode: u32): i32 {
  return load<u8>(STACK_TABLE + (opcode << 1), 1)
}

/** Writes the table for `fork`. */
export function writeGasTable(): void {
  expByteGas = fork >= SPURIOUS_DRAGON ? 50 : 10
  for (let opcode: u32 = 0; opcode < 256; opcode++) store<i64>(GAS_TABLE + (opcode << 3), UNDEFINED)
  defineArithmetic()
  defineEnvironment()
  defineStackAndMemory()
  defineStateAccess()
}

function defineArithmetic(): void {
  define(Op.STOP, 0, 0, 0)
  define(Op.ADD, VERY_LOW, 2, 1)
  define(Op.MUL, LOW, 2, 1)
  define(Op.SUB, VERY_LOW, 2, 1)
  for (let opcode = Op.DIV; opcode <= Op.SMOD; opcode++) define(opcode, LOW, 2, 1)
  define(Op.ADDMOD, MID, 3, 1)
  define(Op.MULMOD, MID, 3, 1)
  define(Op.EXP, EXP_GAS, 2, 1)
  define(Op.SIGNEXTEND, LOW, 2, 1)
  for (let opcode = Op.LT; opcode <= Op.EQ; opcode++) define(opcode, VERY_LOW, 2, 1)
  define(Op.ISZERO, VERY_LOW, 1, 1)
  for (let opcode = Op.AND; opcode <= Op.XOR; opcode++) define(opcode, VERY_LOW, 2, 1)
  define(Op.NOT, VERY_LOW, 1, 1)
  define(Op.BYTE, VERY_LOW, 2, 1)
  for (let opcode = Op.SHL; opcode <= Op.SAR; opcode++) define(opcode, VERY_LOW, 2, 1, CONSTANTINOPLE)
  define(Op.CLZ, LOW, 1, 1, OSAKA)
  define(Op.KECCAK256, KECCAK_GAS, 2, 1)
}

function defineEnvironment(): void {
  for (let opcode = Op.ADDRESS; opcode <= Op.CALLVALUE; opcode++) define(opcode, BASE, 0, 1)
  define(Op.CALLDATALOAD, VERY_LOW, 1, 1)
  define(Op.CALLDATASIZE, BASE, 0, 1)
  define(Op.CALLDATACOPY, VERY_LOW, 3, 0)
  define(Op.CODESIZE, BASE, 0, 1)
  define(Op.CODECOPY, VERY_LOW, 3, 0)
  define(Op.GASPRICE, BASE, 0, 1)
  define(Op.RETURNDATASIZE, BASE, 0, 1, BYZANTIUM)
  define(Op.RETURNDATACOPY, VERY_LOW, 3, 0, BYZANTIUM)
  define(Op.BLOCKHASH, BLOCKHASH_GAS, 1, 1)
  for (let opcode = Op.COINBASE; opcode <= Op.GASLIMIT; opcode++) define(opcode, BASE, 0, 1)
  define(Op.CHAINID, BASE, 0, 1, ISTANBUL)
  define(Op.SELFBALANCE, LOW, 0, 1, ISTANBUL)
  define(Op.BASEFEE, BASE, 0, 1, LONDON)
  define(Op.BLOBHASH, VERY_LOW, 1, 1, CANCUN)
  define(Op.BLOBBASEFEE, BASE, 0, 1, CANCUN)
}

function defineStackAndMemory(): void {
  define(Op.POP, BASE, 1, 0)
  define(Op.MLOAD, VERY_LOW, 1, 1)
  define(Op.MSTORE, VERY_LOW, 2, 0)
  define(Op.MSTORE8, VERY_LOW, 2, 0)
  define(Op.JUMP, MID, 1, 0)
  define(Op.JUMPI, HIGH, 2, 0)
  define(Op.PC, BASE, 0, 1)
  define(Op.MSIZE, BASE, 0, 1)
  define(Op.GAS, BASE, 0, 1)
  define(Op.JUMPDEST, JUMPDEST_GAS, 0, 0)
  define(Op.MCOPY, VERY_LOW, 3, 0, CANCUN)
  define(Op.PUSH0, BASE, 0, 1, SHANGHAI)
  for (let bytes: u32 = 0; bytes < 32; bytes++) define(Op.PUSH1 + bytes, VERY_LOW, 0, 1)
  for (let depth: u32 = 0; depth < 16; depth++) {
    define(Op.DUP1 + depth, VERY_LOW, depth + 1, depth + 2)
    define(Op.SWAP1 + depth, VERY_LOW, depth + 2, depth + 2)
  }
  define(Op.RETURN, 0, 2, 0)
  define(Op.REVERT, 0, 2, 0, BYZANTIUM)
}

/** From Berlin on (EIP-2929) the price depends on warmth; before, it was fixed (EIP-150, EIP-1884). */
function defineStateAccess(): void {
  define(Op.BALANCE, beforeBerlin(20, 400, 700), 1, 1)
  define(Op.EXTCODESIZE, beforeBerlin(20, 700, 700), 1, 1)
  define(Op.EXTCODECOPY, beforeBerlin(20, 700, 700), 4, 0)
  define(Op.EXTCODEHASH, beforeBerlin(400, 400, 700), 1, 1, CONSTANTINOPLE)
  define(Op.SLOAD, beforeBerlin(50, 200, 800), 1, 1)
  define(Op.SSTORE, 0, 2, 0)
  define(Op.TLOAD, WARM_GAS, 1, 1, CANCUN)
  define(Op.TSTORE, WARM_GAS, 2, 0, CANCUN)
  for (let topics: u32 = 0; topics < 5; topics++) define(Op.LOG0 + topics, LOG_GAS * (topics + 1), topics + 2, 0)
  define(Op.CREATE, CREATE_GAS, 3, 1)
  define(Op.CALL, beforeBerlin(40, 700, 700), 7, 1)
  define(Op.CALLCODE, beforeBerlin(40, 700, 700), 7, 1)
  define(Op.DELEGATECALL, beforeBerlin(40, 700, 700), 6, 1, HOMESTEAD)
  define(Op.CREATE2, CREATE_GAS, 4, 1, CONSTANTINOPLE)
  define(Op.STATICCALL, beforeBerlin(700, 700, 700), 6, 1, BYZANTIUM)
  define(Op.SELFDESTRUCT, fork >= TANGERINE_WHISTLE ? 5000 : 0, 1, 0)
}

function beforeBerlin(frontier: u32, tangerineWhistle: u32, istanbul: u32): u32 {
  if (fork >= BERLIN) return 0
  if (fork >= ISTANBUL) return istanbul
  return fork >= TANGERINE_WHISTLE ? tangerineWhistle : frontier
}
