// A constant rate of transfers between development accounts.
import { setTimeout as sleep } from 'node:timers/promises'
import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/accounts/development-accounts.js'
import { signTransaction } from '../../dist/chain/transaction/transaction-codec.js'
import { bytesToHex } from '../../dist/primitives/hex.js'
import { requestAll } from './json-rpc.mjs'

/** Milliseconds between flashblocks. */
export const INTERVAL = 200

/**
 * @param {number} port of a node on the development chain
 * @param {number} transactions per interval; one batch each
 */
export function createSteadyLoad(port, transactions) {
  let sent = 0
  return {
    /** Transactions sent so far. */
    get sent() {
      return sent
    },
    /** Sends for a time. A late interval does not shift the next ones. */
    async run(milliseconds) {
      const begun = performance.now()
      for (let round = 1; round * INTERVAL <= milliseconds; round += 1) {
        await requestAll(
          port,
          Array.from({ length: transactions }, () => ['eth_sendRawTransaction', [signTransfer(sent++)]]),
        )
        await sleep(Math.max(0, begun + round * INTERVAL - performance.now()))
      }
    },
  }
}

/** The n-th raw transaction, from 0. Nonces of each account are consecutive. */
export function signTransfer(index) {
  const sender = index % DEVELOPMENT_ACCOUNTS.length
  const { raw } = signTransaction(
    {
      type: 2,
      chainId: 31_337n,
      nonce: BigInt(Math.floor(index / DEVELOPMENT_ACCOUNTS.length)),
      to: DEVELOPMENT_ACCOUNTS[(sender + 1) % DEVELOPMENT_ACCOUNTS.length].address,
      value: 1n,
      data: new Uint8Array(0),
      gasLimit: 21_000n,
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: 1_000_000n,
      accessList: [],
    },
    DEVELOPMENT_ACCOUNTS[sender].privateKey,
  )
  return bytesToHex(raw)
}
