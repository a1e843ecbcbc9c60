// Transfers between development accounts, the same number in every interval.
import { setTimeout as sleep } from 'node:timers/promises'
import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/genesis/development-accounts.js'
import { signTransaction } from '../../dist/chain/transaction/transaction-codec.js'
import { bytesToHex } from '../../dist/primitives/hex.js'
import { requestAll } from './json-rpc.mjs'

/** Milliseconds between flashblocks. */
export const INTERVAL = 200

/**
 * @param {number} port of a node on the development chain
 * @param {number} transactions of each interval; all of one interval are one batch
 */
export function createSteadyLoad(port, transactions) {
  let sent = 0
  return {
    /** Sends for a time; an interval is not shifted by those before it. */
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

/** The raw transaction under a number, from 0: each account's nonces follow each other. */
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
