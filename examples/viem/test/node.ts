// Clients of the node under test, and contracts on it. Each test ends with the state in which it began.
import { type Address, createTestClient, getContractAddress, type Hash, http, publicActions, walletActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterEach, beforeEach, inject } from 'vitest'

export const NODE_URL = process.env.NODE_URL ?? 'http://127.0.0.1:8545'
export const FIRST = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
export const SECOND: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const THIRD: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

/** The family of methods that the test client uses: TEST_CLIENT_MODE, or that of the node. */
export const mode = (process.env.TEST_CLIENT_MODE ?? (await nodeFamily())) as 'anvil' | 'hardhat'
export const client = createTestClient({
  mode,
  chain: foundry,
  transport: http(NODE_URL),
  pollingInterval: 20,
  cacheTime: 0,
})
  .extend(publicActions)
  .extend(walletActions)

export const Counter = inject('contracts').Counter!
export const Token = inject('contracts').Token!

async function nodeFamily() {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'web3_clientVersion', params: [] })
  const response = await fetch(NODE_URL, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result } = (await response.json()) as { result: string }
  return result.toLowerCase().startsWith('hardhat') ? 'hardhat' : 'anvil'
}

/** Registers hooks that revert each test of the file to where it began. */
export function revertAfterEach() {
  let id: Hash
  beforeEach(async () => {
    id = await client.snapshot()
  })
  afterEach(async () => {
    await client.revert({ id })
  })
}

/** The receipt of a sent transaction. */
export async function receiptOf(sent: Promise<Hash>) {
  return client.waitForTransactionReceipt({ hash: await sent })
}

export async function deploy({ abi, bytecode } = Counter) {
  const receipt = await receiptOf(client.deployContract({ abi, bytecode, account: FIRST.address }))
  const address = getContractAddress({ from: FIRST.address, nonce: BigInt(await nonceOf(receipt.transactionHash)) })
  return { address, abi, receipt }
}

async function nonceOf(hash: Hash) {
  return (await client.getTransaction({ hash })).nonce
}

/** As `client.reset()`, which Anvil refuses unless it forks another chain. */
export const reset = () => client.request({ method: `${mode}_reset` as 'anvil_reset', params: [] as never })

export const transfer = (to: Address, value: bigint) => client.sendTransaction({ account: FIRST.address, to, value })
