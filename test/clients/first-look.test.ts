import { Wallet as EthersWallet, JsonRpcProvider } from 'ethers'
import { createPublicClient, createWalletClient, defineChain, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Web3 } from 'web3'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../src/primitives/hex.ts'
import { type NodeProcess, spawnNode } from '../support/node-processes.ts'

// The table of docs/clients.md: clients as they are, on a node with --latest-state preconfirmed.

/** Creates a contract whose code is 00. */
const CREATION = '0x6001600c60003960016000f300'
/** Deployments of each client in a row. */
const ROUNDS = 3

/** A client as its users have it. */
interface Client {
  /** Sends a deployment and waits for its receipt. @returns the address of the contract */
  deploy(): Promise<string>
  code(address: string): Promise<string | undefined>
  /** At `latest`. */
  nonce(): Promise<number>
}

let node: NodeProcess
beforeAll(async () => {
  node = await spawnNode(['--ephemeral', '--log-level', 'silent', '--latest-state', 'preconfirmed'])
}, 60_000)
afterAll(() => node.stop())

function keyOf(account: number): Hex {
  return bytesToHex(DEVELOPMENT_ACCOUNTS[account]!.privateKey)
}

function viemClient(options: { readonly experimental_preconfirmationTime?: number }, account: number): Client {
  const chain = defineChain({
    id: 31337,
    name: 'Tickertape',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [node.rpc] } },
    ...options,
  })
  const sender = privateKeyToAccount(keyOf(account))
  const reader = createPublicClient({ chain, transport: http() })
  const wallet = createWalletClient({ account: sender, chain, transport: http() })
  return {
    async deploy() {
      const hash = await wallet.sendTransaction({ data: CREATION })
      const { contractAddress } = await reader.waitForTransactionReceipt({ hash })
      return contractAddress!
    },
    code: (address) => reader.getCode({ address: address as Hex }),
    nonce: () => reader.getTransactionCount({ address: sender.address }),
  }
}

function ethersClient(confirmations: number, account: number): Client {
  // Without the cache of 250 ms a client may send again at once.
  const provider = new JsonRpcProvider(node.rpc, 31337, { staticNetwork: true, cacheTimeout: -1 })
  const wallet = new EthersWallet(keyOf(account), provider)
  return {
    async deploy() {
      const sent = await wallet.sendTransaction({ data: CREATION })
      const receipt = await sent.wait(confirmations)
      return receipt!.contractAddress!
    },
    code: (address) => provider.getCode(address),
    nonce: () => provider.getTransactionCount(wallet.address, 'latest'),
  }
}

function web3Client(account: number): Client {
  const web3 = new Web3(node.rpc)
  const { address } = web3.eth.accounts.wallet.add(keyOf(account))[0]!
  return {
    async deploy() {
      const sent = await web3.eth.sendTransaction({ from: address, data: CREATION })
      return sent.contractAddress!
    },
    code: (contract) => web3.eth.getCode(contract),
    nonce: async () => Number(await web3.eth.getTransactionCount(address)),
  }
}

/** Each with an account of its own. */
const CLIENTS: readonly (readonly [name: string, connect: (account: number) => Client])[] = [
  ['viem', (account) => viemClient({}, account)],
  [
    'viem with experimental_preconfirmationTime',
    (account) => viemClient({ experimental_preconfirmationTime: 200 }, account),
  ],
  ['ethers with wait(0)', (account) => ethersClient(0, account)],
  ['ethers with wait(1)', (account) => ethersClient(1, account)],
  ['web3.js', web3Client],
]

test.each(CLIENTS.map(([name, connect], account) => [name, connect, account + 1] as const))(
  '%s has a receipt before the next seal, and finds code and nonce at latest after it',
  async (_, connect, account) => {
    const client = connect(account)
    const times: number[] = []

    for (let round = 1; round <= ROUNDS; round++) {
      const begun = performance.now()
      const address = await client.deploy()
      times.push(performance.now() - begun)

      expect(await client.code(address)).toBe('0x00')
      expect(await client.nonce()).toBe(round)
    }
    // One that was found at the next seal only would take a second on average.
    expect(Math.min(...times)).toBeLessThan(900)
  },
  60_000,
)
