// Attacks on the transaction pool.
import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/accounts/development-accounts.js'
import { call, flood } from './clients.mjs'
import { signed } from './transactions.mjs'

/** Accounts of the attacker; the watch uses the last one. */
const SENDERS = DEVELOPMENT_ACCOUNTS.slice(0, -1)
/** Signing takes as long as a node takes to admit a transaction. */
const SIGNED = 8_000

/** @param {(sender: number, position: number) => object} transactionOf */
function messages(transactionOf) {
  return Array.from({ length: SIGNED }, (_, index) => {
    const sender = index % SENDERS.length
    const raw = signed(SENDERS[sender], transactionOf(sender, Math.floor(index / SENDERS.length)))
    return call('eth_sendRawTransaction', [raw])
  })
}

function poolAttack(id, title, transactionOf) {
  return {
    id,
    title,
    run(node) {
      const all = messages(transactionOf)
      return flood(node, (index) => all[index % all.length], { connections: 32 })
    },
  }
}

export const POOL_ATTACKS = [
  poolAttack('pool-flood', 'transfers as fast as they are accepted', (_, position) => ({ nonce: BigInt(position) })),
  poolAttack('pool-gaps', 'transactions behind a nonce gap', (_, position) => ({ nonce: BigInt(position + 1_000) })),
  poolAttack('pool-large', 'transactions of 100 kB that no block takes', (_, position) => ({
    nonce: BigInt((position % 16) + 1),
    data: new Uint8Array(100_000).fill(1),
    gasLimit: 5_000_000n,
  })),
  {
    id: 'pool-junk',
    title: 'transactions of 100 kB that cannot be decoded',
    run(node) {
      const message = call('eth_sendRawTransaction', [`0x02${'f8'.repeat(100_000)}`])
      return flood(node, () => message, { connections: 32 })
    },
  },
]
