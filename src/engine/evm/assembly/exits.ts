import { NEED_ACCOUNT } from '../abi/status.ts'

/** Whether the interpreter hands over to the host. */
export function isExit(status: u32): bool {
  return status >= NEED_ACCOUNT
}

/** Operands of an exit: an account record, and a word as bytes (address, slot or block number). */
export let exitAccount: usize = 0
export const EXIT_WORD = memory.data(32, 16)

export function setExitAccount(account: usize): void {
  exitAccount = account
}
