import { ARENA_SIZE } from './memory/layout.ts'

/** Released at the end of the session: accounts, slots. */
export const SESSION_ARENA = memory.data(<i32>ARENA_SIZE, 16)
/** Released at the end of the transaction: logs, transient storage. */
export const TRANSACTION_ARENA = memory.data(<i32>ARENA_SIZE, 16)

/** Transaction number within the session, from 1 on. */
export let transaction: u32 = 0
/** Session number within the instance, from 1 on. */
export let session: u32 = 0

export function nextTransaction(): void {
  transaction++
}

export function nextSession(): void {
  session++
  transaction = 0
}

/** Storage refund so far, before the cap; reverted with failing frames. */
export let refund: i64 = 0

export function setRefund(value: i64): void {
  refund = value
}

export function addRefund(value: i64): void {
  refund += value
}
