import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  ACTIVATION_REGISTRY_ADDRESS,
  B20_FACTORY_ADDRESS,
  B20_FEATURES,
  POLICY_REGISTRY_ADDRESS,
} from '../../src/chain/b20/addresses.ts'
import { toHash } from '../../src/primitives/hex.ts'
import {
  AAPLC,
  ALLOWLIST,
  ASSET,
  type BaseNode,
  BUYER,
  HELD,
  HOLDER,
  ISSUER,
  STRANGER,
  SUPPLY,
  startBaseChain,
  startBaseFork,
} from '../support/base-chain.ts'
import { assetParams, idOf } from '../support/stock-chain.ts'

const CREATED = 'PolicyCreated,PolicyAdminUpdated,BlocklistUpdated'
const BASE_TIME = '0x4200000000000000000000000000000000000030'

let base: BaseNode
beforeAll(async () => {
  base = await startBaseChain()
})
afterAll(() => base.close())

async function startFork(): Promise<BaseNode> {
  const fork = await startBaseFork(base)
  onTestFinished(() => fork.close())
  return fork
}

interface Header {
  readonly number: Hex
  readonly timestamp: Hex
  readonly timestampMs: Hex
  readonly transactions: readonly { readonly hash: Hex; readonly to: string; readonly type: string }[]
}

const latest = (node: BaseNode) => node.request<Header>('eth_getBlockByNumber', 'latest', true)

test('a fork of Base reads its tokens, policies and features, and names its rules', async () => {
  const fork = await startFork()

  expect(await fork.request('eth_getCode', ASSET, 'latest')).toBe('0xef')
  expect(await fork.read('name')).toBe('Stand-in plc')
  expect(await fork.read('balanceOf', [HOLDER])).toBe(HELD)
  expect(await fork.read('isAuthorized', [ALLOWLIST, STRANGER], POLICY_REGISTRY_ADDRESS)).toBe(false)
  expect(await fork.read('isActivated', [B20_FEATURES[0]], ACTIVATION_REGISTRY_ADDRESS)).toBe(true)
  const { rules } = await fork.request<{ rules: object }>('tickertape_forkStatus')
  expect(rules).toEqual({ name: 'denim', reason: 'of Base', missing: null })
})

test('the stock service lists the stocks of Base with what the fork did with them', async () => {
  const fork = await startFork()
  const { url } = await fork.node.listen()
  const stocks = async () => (await fetch(`${url}/v1/tokenized-stocks`)).json() as Promise<{ tokens: object[] }>
  const supply = async () => (await fetch(`${url}/v1/tokenized-stocks/total-supply/${AAPLC}`)).json()

  expect(await supply()).toBe(4_165.7299)
  expect((await stocks()).tokens[0]).toMatchObject({
    contract_address: AAPLC.toLowerCase(),
    name: 'Apple Inc.',
    symbol: 'AAPLc',
    decimals: 8,
    total_supply: 4_165.7299,
    multiplier: 1.02,
    paused_features: [1, 2],
  })
  expect((await fork.act(HOLDER, 'transfer', [BUYER, 5n], AAPLC)).events).toEqual([['Transfer', HOLDER, BUYER, 5n]])
  expect(await fork.read('balanceOf', [HOLDER], AAPLC)).toBe(SUPPLY - 5n)
  await fork.act(ISSUER, 'burn', [1_0000_0000n])
  await fork.act(ISSUER, 'pause', [[3]])
  const own = (await stocks()).tokens.find((token) => 'symbol' in token && token.symbol === 'STANDc')
  expect(own).toMatchObject({ total_supply: 4_164.7299, paused_features: [3], isin: 'ZZ0000STAND0' })
})

test('accounts of Base move, mint, pause, seize and create tokens on a fork as on Base', async () => {
  const fork = await startFork()
  const token = (await fork.read<Hex>('getB20Address', [0, BUYER, idOf('own')], B20_FACTORY_ADDRESS)) as Hex
  const creation = [0, idOf('own'), assetParams({ admin: BUYER }), []]
  const second = ALLOWLIST + 1n
  const steps: readonly (readonly [Hex, string, readonly unknown[], string, Hex?])[] = [
    [HOLDER, 'transfer', [BUYER, 100n], 'Transfer'],
    [HOLDER, 'transfer', [STRANGER, 1n], 'PolicyForbids'],
    [HOLDER, 'transfer', [ASSET, 1n], 'InvalidReceiver'],
    [BUYER, 'transferFrom', [HOLDER, ISSUER, 500n], 'Transfer'],
    [BUYER, 'transferFrom', [HOLDER, ISSUER, 1n], 'InsufficientAllowance'],
    [HOLDER, 'transferWithMemo', [BUYER, 1n, idOf('memo')], 'Transfer,Memo'],
    [HOLDER, 'mint', [HOLDER, 1n], 'AccessControlUnauthorizedAccount'],
    [ISSUER, 'mint', [STRANGER, 7n], 'Transfer'],
    [ISSUER, 'updateAllowlist', [ALLOWLIST, true, [STRANGER]], 'AllowlistUpdated', POLICY_REGISTRY_ADDRESS],
    [HOLDER, 'transfer', [STRANGER, 1n], 'Transfer'],
    [ISSUER, 'pause', [[0]], 'Paused'],
    [HOLDER, 'transfer', [BUYER, 1n], 'ContractPaused'],
    [ISSUER, 'unpause', [[0]], 'Unpaused'],
    [ISSUER, 'createPolicyWithAccounts', [ISSUER, 0, [STRANGER]], CREATED, POLICY_REGISTRY_ADDRESS],
    [ISSUER, 'seizeWithMemo', [STRANGER, ISSUER, 1n, idOf('order')], 'AccountNotSeizable'],
    [ISSUER, 'updatePolicy', [idOf('SEIZE_EXEMPT_POLICY'), second | (1n << 63n)], 'PolicyNotFound'],
    [ISSUER, 'updatePolicy', [idOf('SEIZE_EXEMPT_POLICY'), 3n], 'PolicyUpdated'],
    [ISSUER, 'seizeWithMemo', [STRANGER, ISSUER, 8n, idOf('order')], 'Transfer,Memo,Seized'],
    [BUYER, 'createB20', creation, 'B20Created,RoleGranted', B20_FACTORY_ADDRESS],
    [BUYER, 'createB20', creation, 'TokenAlreadyExists', B20_FACTORY_ADDRESS],
    [STRANGER, 'setAdmin', [STRANGER], 'Unauthorized', ACTIVATION_REGISTRY_ADDRESS],
  ]

  const results: unknown[] = []
  for (const [from, name, args, , to] of steps) {
    const outcome = await fork.act(from, name, args, to)
    results.push([name, outcome.error ?? outcome.events.map(([event]) => event).join()])
  }

  expect(results).toEqual(steps.map(([, name, , expected]) => [name, expected]))
  expect(await fork.request('eth_getCode', token, 'latest')).toBe('0xef')
  expect(await fork.read('totalSupply')).toBe(SUPPLY + 7n)
})

test('a block of Base that is executed again on its parent has its hash', async () => {
  // Senders without keys cannot be recovered from their transactions.
  const from = base.node.accounts[0]!.address
  await base.request('eth_sendTransaction', { from, to: BUYER, value: '0x1' })
  const original = await base.request<Header & { hash: Hex }>('eth_getBlockByNumber', 'latest', true)
  const { hash } = original.transactions.at(-1)!

  const fork = await startBaseFork(base, { forkTransactionHash: toHash(hash), accounts: 0 })
  onTestFinished(() => fork.close())

  expect(await fork.request('eth_getBlockByNumber', original.number, false)).toMatchObject({ hash: original.hash })
})

test('blocks of the fork follow every 200 ms with BaseTime, and times can be chosen', async () => {
  const fork = await startFork()
  const before = await latest(fork)

  await fork.act(HOLDER, 'transfer', [BUYER, 1n])
  const block = await latest(fork)

  const part = await fork.request<Hex>('eth_call', { to: BASE_TIME, data: '0x5745a677' }, 'latest')
  expect(block.transactions.slice(0, 2).map(({ type, to }) => [type, to])).toEqual([
    ['0x7e', '0x4200000000000000000000000000000000000015'],
    ['0x7e', BASE_TIME],
  ])
  expect(BigInt(block.timestampMs)).toBe(BigInt(part))
  expect(Number(block.timestampMs) - Number(before.timestampMs)).toBeGreaterThanOrEqual(200)
  expect(Number(block.timestampMs) % 200).toBe(0)
  await fork.request('evm_setNextBlockTimestamp', Number(block.timestamp) + 1_000)
  await fork.act(HOLDER, 'transfer', [BUYER, 1n])
  expect(Number((await latest(fork)).timestampMs)).toBe((Number(block.timestamp) + 1_000) * 1_000)
  await fork.request('evm_increaseTime', 3_600)
  await fork.request('evm_mine')
  expect(Number((await latest(fork)).timestamp)).toBeGreaterThanOrEqual(Number(block.timestamp) + 4_600)
})
