import {
  type Abi,
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  type Hex,
  http,
  parseEther,
  parseEventLogs,
  publicActions,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { B20_FACTORY_ADDRESS, POLICY_REGISTRY_ADDRESS } from '../../src/chain/b20/addresses.ts'
import b20Asset from '../../src/chain/b20/b20-asset.json' with { type: 'json' }
import b20Factory from '../../src/chain/b20/b20-factory.json' with { type: 'json' }
import policyRegistry from '../../src/chain/b20/policy-registry.json' with { type: 'json' }
import { type NodeProcess, spawnNode, until } from '../support/node-processes.ts'
import { assetParams, idOf } from '../support/stock-chain.ts'

const MNEMONIC = 'test test test test test test test test test test test junk'
const [owner, alice, bob] = [0, 1, 2].map((addressIndex) => mnemonicToAccount(MNEMONIC, { addressIndex })) as [
  ReturnType<typeof mnemonicToAccount>,
  ReturnType<typeof mnemonicToAccount>,
  ReturnType<typeof mnemonicToAccount>,
]
const ASSET = b20Asset.abi as Abi
const FACTORY = { address: B20_FACTORY_ADDRESS, abi: b20Factory.abi as Abi } as const
const REGISTRY = { address: POLICY_REGISTRY_ADDRESS, abi: policyRegistry.abi as Abi } as const
const ONE = parseEther('1')
const ALLOWLIST = 1

let node: NodeProcess
let replica: NodeProcess

beforeAll(async () => {
  // Part of block 0, which node and replica must share.
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const chain = ['--profile', 'denim', '--ephemeral', '--timestamp', timestamp, '--log-level', 'silent']
  node = await spawnNode([...chain, '--rpc-workers', '1'])
  replica = await spawnNode([...chain, '--from', `${node.ws}/replica`], undefined, 'replica')
}, 120_000)
afterAll(async () => {
  await replica?.stop()
  await node?.stop()
})

function clientOf(account: typeof owner, url = node.rpc) {
  const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  const chain = defineChain({ id: 31_337, name: 'denim', nativeCurrency, rpcUrls: { default: { http: [url] } } })
  return createWalletClient({ account, chain, transport: http(url), pollingInterval: 50 }).extend(publicActions)
}

const encode = (functionName: string, args: readonly unknown[]) =>
  encodeFunctionData({ abi: ASSET, functionName, args })

test('a viem client creates an asset and uses it, and the stock service and a replica show the same', async () => {
  const client = clientOf(owner)
  const send = async (request: { address: Hex; abi: Abi; functionName: string; args: readonly unknown[] }) => {
    const receipt = await client.waitForTransactionReceipt({ hash: await client.writeContract(request) })
    expect([request.functionName, receipt.status]).toEqual([request.functionName, 'success'])
    return receipt
  }

  const params = assetParams({ name: 'Native plc', symbol: 'NATVd', admin: owner.address })
  const roles = ['MINT_ROLE', 'OPERATOR_ROLE'].map((role) => encode('grantRole', [idOf(role), owner.address]))
  const creation = await send({ ...FACTORY, functionName: 'createB20', args: [0, idOf('process'), params, roles] })
  const [created] = parseEventLogs({ abi: FACTORY.abi, logs: creation.logs, eventName: 'B20Created' })
  const token = { address: (created as unknown as { args: { token: Hex } }).args.token, abi: ASSET } as const
  expect(await client.getCode(token)).toBe('0xef')

  await send({ ...token, functionName: 'mint', args: [alice.address, 5n * ONE] })
  const holder = clientOf(alice)
  await holder.waitForTransactionReceipt({
    hash: await holder.writeContract({ ...token, functionName: 'transfer', args: [bob.address, 2n * ONE] }),
  })

  const list = {
    ...REGISTRY,
    functionName: 'createPolicyWithAccounts',
    args: [owner.address, ALLOWLIST, [bob.address]],
  }
  const { result: bobOnly } = await client.simulateContract(list)
  await send(list)
  await send({ ...token, functionName: 'updatePolicy', args: [idOf('TRANSFER_RECEIVER_POLICY'), bobOnly] })
  const refused = holder.simulateContract({ ...token, functionName: 'transfer', args: [owner.address, 1n] })
  await expect(refused).rejects.toThrow('PolicyForbids(bytes32 policyScope, uint64 policyId)')

  const { timestamp } = await client.getBlock()
  await send({ ...token, functionName: 'updateUIMultiplier', args: [2n * ONE, timestamp + 3n] })
  const multiplier = () => client.readContract({ ...token, functionName: 'multiplier' })
  expect(await multiplier()).toBe(ONE)
  await until(async () => (await client.getBlock()).timestamp >= timestamp + 3n)
  expect(await multiplier()).toBe(2n * ONE)

  const path = `/v1/tokenized-stocks/total-supply/${token.address}`
  expect(await (await fetch(`${node.rpc}${path}`)).json()).toBe(5)
  const { tokens } = (await (await fetch(`${node.rpc}/v1/tokenized-stocks`)).json()) as { tokens: object[] }
  expect(tokens.at(-1)).toMatchObject({ symbol: 'NATVd', total_supply: 5, multiplier: 2 })
  expect(tokens).toHaveLength(7)

  const height = await client.getBlockNumber()
  const follower = createPublicClient({ transport: http(replica.rpc) })
  await until(async () => (await follower.getBlockNumber({ cacheTime: 0 })) >= height)
  const balance = { ...token, functionName: 'balanceOf', args: [bob.address] }
  expect(await follower.readContract(balance)).toBe(2n * ONE)
  expect((await follower.getBlock({ blockNumber: height })).stateRoot).toBe(
    (await client.getBlock({ blockNumber: height })).stateRoot,
  )
}, 120_000)
