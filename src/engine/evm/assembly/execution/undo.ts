import { frame, JOURNAL_LENGTH, LAST_LOG, openFrame, REFUND } from '../memory/frames.ts'
import { refund, setRefund } from '../session-state.ts'
import { journalLength, revertTo } from '../state/journal.ts'
import { lastLog, setLastLog } from '../state/logs.ts'

/** Opens a frame with this gas, to which later changes can be reverted. */
export function beginFrame(gas: i64): usize {
  const opened = openFrame(gas)
  store<u32>(opened, journalLength, JOURNAL_LENGTH)
  store<usize>(opened, lastLog, LAST_LOG)
  store<i64>(opened, refund, REFUND)
  return opened
}

/** Restores state, logs and refund to the start of the current frame. */
export function undoFrame(): void {
  revertTo(load<u32>(frame, JOURNAL_LENGTH))
  setLastLog(load<usize>(frame, LAST_LOG))
  setRefund(load<i64>(frame, REFUND))
}
