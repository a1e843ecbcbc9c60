import { BERLIN } from '../../../../chain/forks/ordinals.ts'
import { CALL, CREATE } from '../../abi/opcodes.ts'
import { ENV_ORIGIN } from '../../abi/records.ts'
import * as Status from '../../abi/status.ts'
import { delegateOf, payTo, prepareCode, runAccount } from '../execution/calls.ts'
import { beginCreation, hasCollision, needsStorageCheck } from '../execution/creation.ts'
import { endFrame } from '../execution/endings.ts'
import { clearGasNeed, gasNeed, markGasObserved } from '../execution/gas-need.ts'
import { beginFrame } from '../execution/undo.ts'
import * as Host from '../host-data.ts'
import * as Frame from '../memory/frames.ts'
import { fork } from '../session-rules.ts'
import { needStorage } from '../state/access.ts'
import { warmAccount } from '../state/accounts.ts'
import * as Log from '../state/logs.ts'
import { TRACES, traceEntry } from '../tracing.ts'
import { copyAddress, copyWord } from '../words/word.ts'
import { run } from './interpreter.ts'

/** The top-level call or creation of a transaction. */

/** Gas between two pauses; less when instructions are traced. */
const SLICE: i64 = TRACES ? 10_000 : 2_000_000

const MESSAGE_VALUE = memory.data(32, 16)
let hasStarted = false
let isCreation = false
let sender: usize = 0
let target: usize = 0
let inputSize: usize = 0
let startGas: i64 = 0
let lastExit: u32 = 0

/** No frame yet. */
export function forgetMessage(): void {
  hasStarted = false
  lastExit = Status.CONTINUE
  clearGasNeed()
}

export function setMessage(
  from: usize,
  to: usize,
  creates: bool,
  gas: i64,
  size: usize,
  blobHashes: usize,
  tracesTransfers: bool,
  value: usize,
): void {
  copyWord(MESSAGE_VALUE, value)
  copyAddress(Host.ENVIRONMENT + ENV_ORIGIN, from)
  sender = from
  target = to
  isCreation = creates
  startGas = gas
  inputSize = size
  Host.setBlobHashes(load<usize>(Host.INPUT_BUFFER) + size, blobHashes)
  Host.setReturnSize(0)
  Log.setTracesTransfers(tracesTransfers)
}

/** Starts or resumes the message; returns why the host is needed. */
export function proceed(): u32 {
  if (lastExit === Status.PAUSED) Frame.setPauseAt(Frame.gasLeft - SLICE)
  lastExit = hasStarted ? run() : start()
  return lastExit
}

function start(): u32 {
  if (!isCreation) {
    const missing = prepareCode(target)
    if (missing !== Status.CONTINUE) return missing
  }
  if (isCreation && needsStorageCheck(target)) return needStorage(target)
  hasStarted = true
  // EIP-2929: outside the frame, so that it stays warm when the creation fails.
  if (isCreation) markGasObserved()
  if (isCreation && fork >= BERLIN) warmAccount(target)
  Frame.setPauseAt(startGas - SLICE)
  const frame = beginFrame(startGas)
  store<usize>(frame, sender, Frame.CALLER)
  copyWord(frame + Frame.VALUE, MESSAGE_VALUE)
  store<u32>(frame, 0, Frame.IS_STATIC)
  store<u32>(frame, 0, Frame.OUTPUT_SIZE)
  const input = load<usize>(Host.INPUT_BUFFER)
  if (TRACES) {
    traceEntry(isCreation ? CREATE : CALL, sender, target, frame + Frame.VALUE, input, inputSize, startGas)
  }
  let status: u32
  if (isCreation) {
    if (hasCollision(target)) {
      store<usize>(frame, target, Frame.SELF)
      status = endFrame(Status.ADDRESS_COLLISION, 0, 0)
    } else {
      status = beginCreation(target, input, inputSize)
    }
  } else {
    store<usize>(frame, input, Frame.INPUT)
    store<usize>(frame, inputSize, Frame.INPUT_SIZE)
    store<usize>(frame, target, Frame.SELF)
    const delegate = delegateOf(target)
    // EIP-7702: the delegation target of the recipient is warm.
    if (delegate !== 0 && fork >= BERLIN) warmAccount(delegate)
    status = payTo(sender, target, frame + Frame.VALUE)
      ? runAccount(target, delegate)
      : endFrame(Status.BALANCE_OVERFLOW, 0, 0)
  }
  return status === Status.CONTINUE ? run() : status
}

/** For a message that succeeded: the minimum gas for the same execution path; -1: unknown. */
export function neededGas(): i64 {
  return gasNeed(startGas)
}

/** Ends the frame of a precompile that the host ran. */
export function finishPrecompile(status: u32, gasUsed: i64, outputSize: usize): u32 {
  markGasObserved()
  Frame.charge(gasUsed)
  lastExit = endFrame(status, load<usize>(Host.RETURN_BUFFER), status === Status.STOPPED ? outputSize : 0)
  return lastExit
}
