import { CANCUN, HOMESTEAD, LONDON, SPURIOUS_DRAGON, TANGERINE_WHISTLE } from '../../../../chain/forks/ordinals.ts'
import { SELFDESTRUCT } from '../../abi/opcodes.ts'
import { ACCOUNT_BALANCE } from '../../abi/records.ts'
import {
  CODE_STORE_OUT_OF_GAS,
  CODE_TOO_LARGE,
  CONTINUE,
  DONE,
  INVALID_CODE,
  OUT_OF_GAS,
  REVERTED,
  STOPPED,
  WRITE_PROTECTION,
} from '../../abi/status.ts'
import { RETURN_BUFFER, returnSize, setReturnSize } from '../host-data.ts'
import { bufferFor } from '../memory/arena.ts'
import * as Frame from '../memory/frames.ts'
import { codeSizeLimit, fork } from '../session-rules.ts'
import { addRefund } from '../session-state.ts'
import { accountAt, chargeColdAccount, needAccount } from '../state/access.ts'
import {
  beginFundsChange,
  isDead,
  isDestroyed,
  markDestroyed,
  touch,
  transfer,
  wasCreatedNow,
} from '../state/accounts.ts'
import { setCode } from '../state/codes.ts'
import { addTransferLog } from '../state/logs.ts'
import { TRACES, traceCost, traceEntry, traceExit } from '../tracing.ts'
import { copyAddress, copyWord, isZero, setWord, toSize } from '../words/word.ts'
import { countHalt } from './gas-need.ts'
import { expandMemory } from './memory.ts'
import { undoFrame } from './undo.ts'

/** Ends of frames. */

const CODE_BYTE_GAS: i64 = 200
const SELFDESTRUCT_NEW_ACCOUNT_GAS: i64 = 25000
/** Until London (EIP-3529). */
const SELFDESTRUCT_REFUND: i64 = 24000

/** Result of the message, once `endFrame` returns `DONE`. */
export let result: u32 = 0

/** RETURN and REVERT: memory offset, size. */
export function returnOutput(status: u32): u32 {
  const words = Frame.pop(2)
  const offset = toSize(words + 32)
  const size = toSize(words)
  if (!expandMemory(offset, size)) return OUT_OF_GAS
  return endFrame(status, Frame.memoryBase + (size === 0 ? 0 : offset), size)
}

/** Ends the current frame and passes its result to its caller. */
export function endFrame(ending: u32, output: usize, size: usize): u32 {
  const frame = Frame.frame
  const isCreation = load<u32>(frame, Frame.IS_CREATION) !== 0
  let status = ending
  if (TRACES) traceCost(Frame.gasLeft, ending > REVERTED ? ending : CONTINUE)
  if (status === STOPPED && isCreation) status = depositCode(output, size)
  if (status !== STOPPED) undoFrame()
  if (status > REVERTED) {
    Frame.setGas(0)
    countHalt(status)
  }
  if (TRACES) traceExit(status, output, status > REVERTED ? 0 : size, Frame.gasLeft)
  if (status > REVERTED) setReturnSize(0)
  else if (isCreation && status === STOPPED && Frame.depth > 0) setReturnSize(0)
  else keepOutput(output, size)

  const wanted = load<u32>(frame, Frame.OUTPUT_SIZE)
  const position = load<u32>(frame, Frame.OUTPUT)
  const created = load<usize>(frame, Frame.SELF)
  if (!Frame.closeFrame()) {
    result = status
    return DONE
  }
  const copied = isCreation ? 0 : min<usize>(wanted, returnSize)
  if (copied !== 0) memory.copy(Frame.memoryBase + position, load<usize>(RETURN_BUFFER), copied)
  const pushed = Frame.push()
  if (status !== STOPPED) setWord(pushed, 0)
  else if (isCreation) copyAddress(pushed, created)
  else setWord(pushed, 1)
  return CONTINUE
}

function keepOutput(output: usize, size: usize): void {
  setReturnSize(size)
  if (size === 0) return
  // The return buffer may already hold the output, that of a precompile.
  const at = bufferFor(RETURN_BUFFER, size)
  if (at !== output) memory.copy(at, output, size)
}

/** Deploys the output of a creation as the code of its account (Yellow Paper, 7). */
function depositCode(output: usize, size: usize): u32 {
  if (fork >= SPURIOUS_DRAGON && size > codeSizeLimit) return CODE_TOO_LARGE
  // EIP-3541
  if (fork >= LONDON && size > 0 && load<u8>(output) === 0xef) return INVALID_CODE
  const gas = CODE_BYTE_GAS * <i64>size
  if (Frame.gasLeft < gas) return fork >= HOMESTEAD ? CODE_STORE_OUT_OF_GAS : STOPPED
  Frame.charge(gas)
  if (size > 0) setCode(load<usize>(Frame.frame, Frame.SELF), output, size)
  return STOPPED
}

const AMOUNT = memory.data(32, 16)

/** Stack: beneficiary. */
export function selfDestruct(): u32 {
  if (load<u32>(Frame.frame, Frame.IS_STATIC) !== 0) return WRITE_PROTECTION
  const word = Frame.stackPointer - 32
  const beneficiary = accountAt(word)
  if (beneficiary === 0) return needAccount(word)
  const self = load<usize>(Frame.frame, Frame.SELF)
  if (!chargeColdAccount(beneficiary)) return OUT_OF_GAS
  const makesAccount = isDead(beneficiary) && (fork < SPURIOUS_DRAGON || !isZero(self + ACCOUNT_BALANCE))
  if (fork >= TANGERINE_WHISTLE && makesAccount && !Frame.charge(SELFDESTRUCT_NEW_ACCOUNT_GAS)) return OUT_OF_GAS
  Frame.pop(1)
  const isRemoved = fork < CANCUN || wasCreatedNow(self)
  if (fork < LONDON && !isDestroyed(self)) addRefund(SELFDESTRUCT_REFUND)
  copyWord(AMOUNT, self + ACCOUNT_BALANCE)
  if (TRACES) {
    traceEntry(SELFDESTRUCT, self, beneficiary, AMOUNT, 0, 0, 0)
    traceExit(STOPPED, 0, 0, 0)
  }
  addTransferLog(self, beneficiary, AMOUNT)
  if (beneficiary !== self) {
    transfer(self, beneficiary, AMOUNT)
  } else if (isRemoved) {
    beginFundsChange(self)
    setWord(self + ACCOUNT_BALANCE, 0)
  }
  touch(self)
  touch(beneficiary)
  // EIP-6780: only accounts created in this transaction are removed.
  if (isRemoved) markDestroyed(self)
  return endFrame(STOPPED, 0, 0)
}
