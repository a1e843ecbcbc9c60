import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { type Address, bytesToHex } from '../../src/primitives/hex.ts'
import { COUNTER_RUNTIME, initCode } from './contracts.ts'
import type { RpcNode } from './rpc-node.ts'
import { signTransfer } from './transfers.ts'

const DEPLOYER = DEVELOPMENT_ACCOUNTS[0]!.address

/** Adds one to its slot 0 and returns the sum. */
export const COUNTER = createAddress(DEPLOYER, 0n)
/** Calls `COUNTER` without input and drops the return value. */
export const CALLER = createAddress(DEPLOYER, 1n)

/** A signed transaction of account 0, as hex. */
export function signed(nonce: bigint, to: Address | null, data: Uint8Array = new Uint8Array(0)) {
  const transaction = signTransfer({ nonce, to, value: 0n, data, gasLimit: 300_000n })
  return { hash: transaction.hash, raw: bytesToHex(transaction.raw) }
}

/** Deploys both contracts and seals block 1. The next nonce is 2. */
export async function deployContracts(node: RpcNode): Promise<void> {
  const calling = `60006000600060006000${`73${COUNTER.slice(2)}`}5af15000`
  await node.result('eth_sendRawTransaction', signed(0n, null, initCode(COUNTER_RUNTIME)).raw)
  await node.result('eth_sendRawTransaction', signed(1n, null, initCode(calling)).raw)
  await node.nextBlock()
}

export async function send(node: RpcNode, nonce: bigint, to: Address, data?: Uint8Array): Promise<string> {
  const { raw, hash } = signed(nonce, to, data)
  await node.result('eth_sendRawTransaction', raw)
  return hash
}
