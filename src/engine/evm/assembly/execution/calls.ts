import { PRAGUE, SPURIOUS_DRAGON, TANGERINE_WHISTLE } from '../../../../chain/forks/ordinals.ts'
import * as Op from '../../abi/opcodes.ts'
import {
  ACCOUNT_BALANCE,
  ACCOUNT_NATIVE,
  ACCOUNT_NEEDS_MARKER,
  ACCOUNT_PRECOMPILE,
  CODE_BYTES,
  CODE_KIND,
  CODE_LENGTH,
  DELEGATION,
  MARKER,
} from '../../abi/records.ts'
import {
  BALANCE_OVERFLOW,
  CALL_TOO_DEEP,
  CONTINUE,
  INSUFFICIENT_BALANCE,
  OUT_OF_GAS,
  RUN_PRECOMPILE,
  STOPPED,
  WRITE_PROTECTION,
} from '../../abi/status.ts'
import { setExitAccount } from '../exits.ts'
import { setReturnSize } from '../host-data.ts'
import * as Frame from '../memory/frames.ts'
import { fork } from '../session-rules.ts'
import { accountAt, chargeAccountAccess, needAccount, needCode } from '../state/access.ts'
import { hasCode, isDead, overflowsBalance, transfer } from '../state/accounts.ts'
import { codeOf, jumpdestsOf } from '../state/codes.ts'
import { addTransferLog, skipTransferLog } from '../state/logs.ts'
import { TRACES, traceEntry, traceExit } from '../tracing.ts'
import { copyWord, isLess, isZero, reverseWord, setWord, toSize, toUint64 } from '../words/word.ts'
import { endFrame } from './endings.ts'
import { expandMemory } from './memory.ts'
import { beginFrame } from './undo.ts'

/** CALL, CALLCODE (EIP-7), DELEGATECALL (EIP-7), STATICCALL (EIP-214). */

const VALUE_GAS: i64 = 9000
const NEW_ACCOUNT_GAS: i64 = 25000
const STIPEND: i64 = 2300

const ZERO = memory.data(32, 16)
const DELEGATE_BYTES = memory.data(32, 16)
const DELEGATE = memory.data(32, 16)

/** Delegation target (EIP-7702), as a word. */
function delegateAddress(code: usize): usize {
  memory.copy(DELEGATE_BYTES + 12, code + CODE_BYTES + 3, 20)
  reverseWord(DELEGATE, DELEGATE_BYTES)
  return DELEGATE
}

function delegationOf(account: usize): usize {
  if (fork < PRAGUE || load<u32>(account, ACCOUNT_PRECOMPILE) !== 0 || !hasCode(account)) return 0
  const code = codeOf(account)
  return load<u32>(code, CODE_KIND) === DELEGATION ? code : 0
}

/** The record with the native code that runs for an account; 0 for none. Only when its own code is loaded. */
function nativeOf(account: usize): usize {
  const native = load<usize>(account, ACCOUNT_NATIVE)
  if (native === 0 || load<u32>(account, ACCOUNT_NEEDS_MARKER) === 0) return native
  return hasCode(account) && load<u32>(codeOf(account), CODE_KIND) === MARKER ? native : 0
}

/**
 * The account whose code runs for an account with a delegation (EIP-7702) or with native code; 0: its own code. Only
 * after `prepareCode` succeeded.
 */
export function delegateOf(account: usize): usize {
  const native = nativeOf(account)
  if (native !== 0) return native
  const code = delegationOf(account)
  return code === 0 ? 0 : accountAt(delegateAddress(code))
}

/** Loads everything needed to run an account's code. */
export function prepareCode(account: usize): u32 {
  if (load<u32>(account, ACCOUNT_PRECOMPILE) !== 0) return CONTINUE
  if (hasCode(account) && codeOf(account) === 0) return needCode(account)
  const native = nativeOf(account)
  if (native !== 0) return codeOf(native) === 0 ? needCode(native) : CONTINUE
  const code = delegationOf(account)
  if (code === 0) return CONTINUE
  const address = delegateAddress(code)
  const delegate = accountAt(address)
  if (delegate === 0) return needAccount(address)
  if (hasCode(delegate) && codeOf(delegate) === 0) return needCode(delegate)
  return CONTINUE
}

/**
 * The code that runs for an account, 0 for none. A delegation to a precompile runs no code (EIP-7702).
 *
 * @param delegate `delegateOf(account)`
 */
function runnableCode(account: usize, delegate: usize): usize {
  const source = delegate === 0 ? account : delegate
  return hasCode(source) && load<u32>(source, ACCOUNT_PRECOMPILE) === 0 ? codeOf(source) : 0
}

/** Stack, from the top: gas, address, value (CALL and CALLCODE only), input, output. */
export function call(): u32 {
  return callAccount(true, true, false, false)
}

export function callCode(): u32 {
  return callAccount(true, false, false, false)
}

export function delegateCall(): u32 {
  return callAccount(false, false, true, false)
}

export function staticCall(): u32 {
  return callAccount(false, true, false, true)
}

function callAccount(hasValue: bool, isOwnContext: bool, keepsCaller: bool, becomesStatic: bool): u32 {
  const words = Frame.stackPointer - (hasValue ? 7 * 32 : 6 * 32)
  const top = Frame.stackPointer - 32
  const value = hasValue ? top - 64 : ZERO
  const paysValue = !isZero(value)
  const isStatic = load<u32>(Frame.frame, Frame.IS_STATIC) !== 0
  if (isOwnContext && paysValue && isStatic) return WRITE_PROTECTION
  const target = accountAt(top - 32)
  if (target === 0) return needAccount(top - 32)
  const missing = prepareCode(target)
  if (missing !== CONTINUE) return missing

  const input = toSize(words + 96)
  const inputSize = toSize(words + 64)
  const output = toSize(words + 32)
  const outputSize = toSize(words)
  if (!expandMemory(input, inputSize) || !expandMemory(output, outputSize)) return OUT_OF_GAS
  if (!chargeAccountAccess(target)) return OUT_OF_GAS
  const delegate = delegateOf(target)
  if (delegate !== 0 && !chargeAccountAccess(delegate)) return OUT_OF_GAS
  if (paysValue && !Frame.charge(VALUE_GAS)) return OUT_OF_GAS
  const isCharged = isOwnContext && hasValue && isDead(target) && (paysValue || fork < SPURIOUS_DRAGON)
  if (isCharged && !Frame.charge(NEW_ACCOUNT_GAS)) return OUT_OF_GAS
  let gas = gasForCall(toUint64(top))
  if (gas < 0 || !Frame.charge(gas)) return OUT_OF_GAS
  if (paysValue) gas += STIPEND

  const self = load<usize>(Frame.frame, Frame.SELF)
  Frame.pop(hasValue ? 7 : 6)
  if (TRACES) {
    const opcode = hasValue ? (isOwnContext ? Op.CALL : Op.CALLCODE) : keepsCaller ? Op.DELEGATECALL : Op.STATICCALL
    const traced = keepsCaller ? Frame.frame + Frame.VALUE : value
    traceEntry(opcode, self, target, traced, Frame.memoryBase + (inputSize === 0 ? 0 : input), inputSize, gas)
  }
  if (Frame.depth >= Frame.MAX_DEPTH || (paysValue && isLess(self + ACCOUNT_BALANCE, value))) {
    if (isOwnContext) skipTransferLog(value)
    if (TRACES) traceExit(Frame.depth >= Frame.MAX_DEPTH ? CALL_TOO_DEEP : INSUFFICIENT_BALANCE, 0, 0, gas)
    return refuse(gas)
  }
  const caller = Frame.frame
  const inputAt = Frame.memoryBase + (inputSize === 0 ? 0 : input)
  const frame = beginFrame(gas)
  store<usize>(frame, inputAt, Frame.INPUT)
  store<usize>(frame, inputSize, Frame.INPUT_SIZE)
  store<usize>(frame, output, Frame.OUTPUT)
  store<usize>(frame, outputSize, Frame.OUTPUT_SIZE)
  store<usize>(frame, isOwnContext ? target : self, Frame.SELF)
  store<usize>(frame, keepsCaller ? load<usize>(caller, Frame.CALLER) : self, Frame.CALLER)
  store<u32>(frame, <u32>(isStatic || becomesStatic), Frame.IS_STATIC)
  copyWord(frame + Frame.VALUE, keepsCaller ? caller + Frame.VALUE : value)
  setReturnSize(0)
  if (isOwnContext && !payTo(self, target, value)) return endFrame(BALANCE_OVERFLOW, 0, 0)
  return runAccount(target, delegate)
}

/** Gas of the called frame (EIP-150: at most all but a 64th); negative: more was requested than available. */
function gasForCall(asked: u64): i64 {
  if (fork < TANGERINE_WHISTLE) return asked <= <u64>Frame.gasLeft ? <i64>asked : -1
  return <i64>min<u64>(asked, <u64>(Frame.gasLeft - Frame.gasLeft / 64))
}

/** The call does not start; its gas is returned. */
export function refuse(gas: i64): u32 {
  setReturnSize(0)
  Frame.setGas(Frame.gasLeft + gas)
  setWord(Frame.push(), 0)
  return CONTINUE
}

/** Transfers the value of a new frame. False: the recipient cannot hold it, and the frame halts, as in revm. */
export function payTo(from: usize, to: usize, value: usize): bool {
  if (overflowsBalance(from, to, value)) {
    skipTransferLog(value)
    return false
  }
  addTransferLog(from, to, value)
  transfer(from, to, value)
  return true
}

/** Runs the code of an account in the frame that was just opened. @param delegate `delegateOf(account)` */
export function runAccount(account: usize, delegate: usize): u32 {
  if (load<u32>(account, ACCOUNT_PRECOMPILE) !== 0) {
    setExitAccount(account)
    return RUN_PRECOMPILE
  }
  const code = runnableCode(account, delegate)
  if (code === 0) return endFrame(STOPPED, 0, 0)
  Frame.setFrameCode(code + CODE_BYTES, <usize>load<u32>(code, CODE_LENGTH), jumpdestsOf(code))
  return CONTINUE
}
