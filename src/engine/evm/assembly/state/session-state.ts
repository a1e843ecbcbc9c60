import { ARENA_SIZE } from '../memory/layout.ts'

/** Given back when the session ends: accounts, slots. */
export const SESSION_ARENA = memory.data(<i32>ARENA_SIZE, 16)
/** Given back when the transaction ends: logs, transient storage. */
export const TRANSACTION_ARENA = memory.data(<i32>ARENA_SIZE, 16)

/** Numbers the transactions of a session; 0 is none. */
export let transaction: u32 = 0
/** Numbers the sessions of an instance; 0 is none. */
export let session: u32 = 0

export function nextTransaction(): void {
  transaction++
}

export function nextSession(): void {
  session++
  transaction = 0
}

/** What storage refunds so far, before the cap; frames that fail take theirs back. */
export let refund: i64 = 0

export function setRefund(value: i64): void {
  refund = value
}

export function addRefund(value: i64): void {
  refund += value
}
