import { DEVELOPMENT_ACCOUNTS } from '../../../src/chain/accounts/development-accounts.ts'
import type { Address } from '../../../src/primitives/hex.ts'

/** Accounts with a balance in block 0; each client has one. */
export const GENESIS_SENDERS = DEVELOPMENT_ACCOUNTS.slice(0, 5)

/** A contract of block 0 that emits a log with the first word of the calldata as topic. */
export const EMITTER = `0x${'e1'.repeat(20)}` as Address
