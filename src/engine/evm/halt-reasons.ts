import type { HaltReason } from '../halt-reason.ts'
import { INVALID } from './abi/opcodes.ts'
import * as Status from './abi/status.ts'

const HALT_REASONS: Readonly<Record<number, HaltReason>> = {
  [Status.OUT_OF_GAS]: 'out of gas',
  [Status.CODE_STORE_OUT_OF_GAS]: 'contract creation code storage out of gas',
  [Status.ADDRESS_COLLISION]: 'contract address collision',
  [Status.CODE_TOO_LARGE]: 'max code size exceeded',
  [Status.INITCODE_TOO_LARGE]: 'max initcode size exceeded',
  [Status.INVALID_JUMP]: 'invalid jump destination',
  [Status.WRITE_PROTECTION]: 'write protection',
  [Status.RETURN_DATA_OUT_OF_BOUNDS]: 'return data out of bounds',
  [Status.INVALID_CODE]: 'invalid code: must not begin with 0xef',
  [Status.STACK_UNDERFLOW]: 'stack underflow',
  [Status.STACK_OVERFLOW]: 'stack limit reached',
  [Status.PRECOMPILE_FAILED]: 'precompile failed',
  [Status.BALANCE_OVERFLOW]: 'overflow payment',
  [Status.CALL_TOO_DEEP]: 'max call depth exceeded',
  [Status.INSUFFICIENT_BALANCE]: 'insufficient balance for transfer',
  [Status.NONCE_OVERFLOW]: 'nonce uint64 overflow',
}

/** Why a frame halted, in go-ethereum's words (core/vm/errors.go), and in revm's for balances, which wrap there. */
export function haltReason(status: number, opcode: number): HaltReason {
  if (status !== Status.INVALID_OPCODE) return HALT_REASONS[status] ?? 'out of gas'
  return `invalid opcode: ${opcode === INVALID ? 'INVALID' : `opcode 0x${opcode.toString(16)} not defined`}`
}
