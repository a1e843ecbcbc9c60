import { EVMError, type ExecResult } from '@ethereumjs/evm'
import type { HaltReason } from '../../src/engine/halt-reason.ts'

const ERRORS = EVMError.errorMessages

const REASONS: ReadonlyMap<string, HaltReason> = new Map<string, HaltReason>([
  [ERRORS.OUT_OF_GAS, 'out of gas'],
  [ERRORS.CODESTORE_OUT_OF_GAS, 'contract creation code storage out of gas'],
  [ERRORS.CODESIZE_EXCEEDS_MAXIMUM, 'max code size exceeded'],
  [ERRORS.STACK_UNDERFLOW, 'stack underflow'],
  [ERRORS.STACK_OVERFLOW, 'stack limit reached'],
  [ERRORS.STATIC_STATE_CHANGE, 'write protection'],
  [ERRORS.CREATE_COLLISION, 'contract address collision'],
  [ERRORS.VALUE_OVERFLOW, 'insufficient balance for transfer'],
  [ERRORS.INSUFFICIENT_BALANCE, 'insufficient balance for transfer'],
  [ERRORS.INVALID_BYTECODE_RESULT, 'invalid code: must not begin with 0xef'],
  [ERRORS.INITCODE_SIZE_VIOLATION, 'max initcode size exceeded'],
  [ERRORS.REFUND_EXHAUSTED, 'gas uint64 overflow'],
])

/** Why the top frame halted, in go-ethereum's words (core/vm/errors.go); other errors are those of precompiles. */
export function haltReason(error: EVMError, result: ExecResult): HaltReason {
  if (error.error === ERRORS.INVALID_OPCODE) return `invalid opcode: ${opcodeName(result.runState?.opCode)}`
  // The message continues with the jump target.
  if (error.error.startsWith(ERRORS.INVALID_JUMP)) return 'invalid jump destination'
  return REASONS.get(error.error) ?? 'precompile failed'
}

function opcodeName(opcode: number | undefined): string {
  if (opcode === undefined || opcode === 0xfe) return 'INVALID'
  return `opcode 0x${opcode.toString(16)} not defined`
}
