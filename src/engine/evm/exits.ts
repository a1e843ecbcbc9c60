import type { HaltReason } from '../halt-reason.ts'

/** How a message or a frame goes on: the numbers of `assembly/status.ts`. */
export const STOPPED = 1
export const REVERTED = 2
export const OUT_OF_GAS = 16
export const PRECOMPILE_FAILED = 28
export const NEED_ACCOUNT = 64
export const NEED_SLOT = 65
export const NEED_CODE = 66
export const NEED_BLOCK_HASH = 67
export const RUN_PRECOMPILE = 68
export const PAUSED = 69
export const DONE = 70
export const NEED_STORAGE = 71

const INVALID_OPCODE = 27

const HALT_REASONS: Readonly<Record<number, HaltReason>> = {
  [OUT_OF_GAS]: 'out of gas',
  17: 'contract creation code storage out of gas',
  18: 'contract address collision',
  19: 'max code size exceeded',
  20: 'max initcode size exceeded',
  21: 'invalid jump destination',
  22: 'write protection',
  23: 'return data out of bounds',
  24: 'invalid code: must not begin with 0xef',
  25: 'stack underflow',
  26: 'stack limit reached',
  [PRECOMPILE_FAILED]: 'precompile failed',
  29: 'max call depth exceeded',
  30: 'insufficient balance for transfer',
  31: 'nonce uint64 overflow',
}

/** Why a frame stopped, in go-ethereum's words (core/vm/errors.go). */
export function haltReason(status: number, opcode: number): HaltReason {
  if (status !== INVALID_OPCODE) return HALT_REASONS[status] ?? 'out of gas'
  return `invalid opcode: ${opcode === 0xfe ? 'INVALID' : `opcode 0x${opcode.toString(16)} not defined`}`
}
