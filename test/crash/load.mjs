// Clients that send and subscribe until the node is dead.

import { DEVELOPMENT_ACCOUNTS } from '../../dist/chain/accounts/development-accounts.js'
import { createAddress } from '../../dist/chain/transaction/contract-address.js'
import { signTransaction } from '../../dist/chain/transaction/transaction-codec.js'
import { bytesToHex, hexToBytes } from '../../dist/primitives/hex.js'
import { listen, request, result } from './client.mjs'

/** Runtime: LOG1 with the first calldata word as topic and 32 zero bytes of data. The init code returns it. */
const EMITTER_INIT = '0x686000356020' + '6000a100' + '60005260096017f3'
/** The contract that account 0 deploys first. */
const EMITTER = createAddress(DEVELOPMENT_ACCOUNTS[0].address, 0n)

const GWEI = 1_000_000_000n

/** Sends from all development accounts; resolves when the node stops responding. */
export async function load({ rpc, ws }, promises, random) {
  const listening = listen(ws, [
    [['newFlashblockTransactions', true], (transaction) => promises.seeTransaction(transaction)],
    [['pendingLogs'], (log) => promises.seeLog(log)],
    [['newHeads'], (head) => promises.seeHead(head)],
  ])
  const senders = DEVELOPMENT_ACCOUNTS.map((account, index) => untilGone(() => sender(rpc, account, index)))
  await Promise.all([listening, ...senders])

  /** Sends sequentially, as a wallet does: transfers, calls, deployments, replacements, sometimes with a nonce gap. */
  async function sender(url, account, index) {
    let nonce = BigInt(await result(url, 'eth_getTransactionCount', account.address, 'pending'))
    for (;;) {
      const choice = random()
      const sent = index === 0 && nonce === 0n ? deployment(nonce) : transaction(nonce, choice)
      if (choice < 0.04) await send(url, account, transaction(nonce + 1n, random()))
      const hash = await send(url, account, sent)
      if (random() < 0.1) await send(url, account, { ...sent, ...fees(2n) })
      if (random() < 0.2) await poll(url, hash)
      nonce = BigInt(await result(url, 'eth_getTransactionCount', account.address, 'pending'))
      await new Promise((resolve) => setTimeout(resolve, random() * 60))
    }
  }

  async function send(url, account, fields) {
    const { raw, hash } = signTransaction(fields, account.privateKey)
    const key = `${account.address} ${fields.nonce}`
    promises.sending(hash, key)
    const isSync = random() < 0.1
    const response = await request(
      url,
      isSync ? 'eth_sendRawTransactionSync' : 'eth_sendRawTransaction',
      bytesToHex(raw),
    )
    if (response.result?.transactionHash === hash) promises.seeReceipt(response.result)
    if (response.result !== undefined) promises.acknowledge(hash, key)
    return hash
  }

  async function poll(url, hash) {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const receipt = await result(url, 'eth_getTransactionReceipt', hash)
      if (receipt !== null) return promises.seeReceipt(receipt)
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  }

  function transaction(nonce, choice) {
    if (choice > 0.85) return deployment(nonce)
    const to = DEVELOPMENT_ACCOUNTS[Math.floor(random() * DEVELOPMENT_ACCOUNTS.length)].address
    if (choice > 0.4) return { ...base(nonce), to, gasLimit: 21_000n, value: BigInt(Math.floor(random() * 1e9)) }
    const topic = `0x${Math.floor(random() * 1e9)
      .toString(16)
      .padStart(64, '0')}`
    return { ...base(nonce), to: EMITTER, gasLimit: 100_000n, data: hexToBytes(topic) }
  }
}

function deployment(nonce) {
  return { ...base(nonce), to: null, gasLimit: 200_000n, data: hexToBytes(EMITTER_INIT) }
}

function base(nonce) {
  return { type: 2, chainId: 31_337n, nonce, value: 0n, data: new Uint8Array(0), accessList: [], ...fees(1n) }
}

function fees(factor) {
  return { maxFeePerGas: 10n * GWEI * factor, maxPriorityFeePerGas: 1_000_000n * factor }
}

/** A dead node refuses or resets connections. */
async function untilGone(run) {
  try {
    await run()
  } catch (error) {
    const isGone = error instanceof TypeError || error instanceof SyntaxError || error.name === 'AbortError'
    if (!isGone) throw error
  }
}
