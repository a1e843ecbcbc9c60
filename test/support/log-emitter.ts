import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { bytesToHex, hexToBytes } from '../../src/primitives/hex.ts'
import type { RpcNode } from './rpc-node.ts'
import { signTransfer } from './transfers.ts'

/** LOG1 with the first word of the calldata as topic and 32 zero bytes of data. */
const RUNTIME = '6000356020' + '6000a100'
/** Returns `RUNTIME`. */
const INIT = `0x68${RUNTIME}60005260096017f3`

export const EMITTER_CODE = `0x${RUNTIME}`
/** Where the first transaction of development account 0 puts it. */
export const EMITTER = createAddress(DEVELOPMENT_ACCOUNTS[0]!.address, 0n)

/** The signed transaction, as hex, that deploys the contract; of account 0, nonce 0. */
export function signDeployment() {
  const transaction = signTransfer({ nonce: 0n, to: null, value: 0n, data: hexToBytes(INIT), gasLimit: 200_000n })
  return { hash: transaction.hash, raw: bytesToHex(transaction.raw) }
}

/** The signed transaction, as hex, that emits a log with this topic; of account 0. */
export function signEmission(nonce: bigint, topic: string) {
  const transaction = signTransfer({ nonce, to: EMITTER, value: 0n, data: hexToBytes(topic), gasLimit: 100_000n })
  return { hash: transaction.hash, raw: bytesToHex(transaction.raw) }
}

/** 32 bytes that end in a small number. */
export function topicOf(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** Deploys the contract and seals the block that has it: block 1. */
export async function deployEmitter(node: Pick<RpcNode, 'result' | 'nextBlock'>): Promise<void> {
  await node.result('eth_sendRawTransaction', signDeployment().raw)
  await node.nextBlock()
}
