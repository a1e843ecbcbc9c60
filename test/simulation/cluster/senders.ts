import { DEVELOPMENT_ACCOUNTS } from '../../../src/chain/accounts/development-accounts.ts'

/** Accounts with a balance in block 0; each client has one. */
export const GENESIS_SENDERS = DEVELOPMENT_ACCOUNTS.slice(0, 5)
