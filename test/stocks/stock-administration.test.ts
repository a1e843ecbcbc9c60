import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { type JsonRpcClient, jsonRpcClient } from '../support/json-rpc-client.ts'
import { type RunningNode, startNode } from '../support/running-node.ts'
import { type StockCommands, stockCommands } from '../support/stock-cli.ts'

const [OWNER, STRANGER, THIRD] = DEVELOPMENT_ACCOUNTS.map(({ address }) => String(address)) as [string, string, string]
/** One unit of a stock with 18 decimals. */
const ONE = 10n ** 18n

let node: RunningNode
let client: JsonRpcClient
let stock: StockCommands
beforeAll(async () => {
  node = await startNode({ flashblockInterval: 50 })
  client = jsonRpcClient(node.urls.rpc)
  stock = stockCommands(node.urls.rpc)
})
afterAll(() => node.close())

const created = async (...flags: readonly string[]): Promise<string> =>
  (await stock.done('create', 'TESTd', 'Test Stock', ...flags)).after.address

async function balanceOf(token: string, holder: string): Promise<bigint> {
  const data = `0x70a08231${holder.slice(2).padStart(64, '0')}`
  return BigInt((await client.result('eth_call', { to: token, data }, 'pending')) as string)
}

describe('transfer', () => {
  test('moves units, with a memo on request', async () => {
    const address = await created('--supply', '5')
    await stock.done('transfer', '1.5', address, '--to', STRANGER)
    const { events } = await stock.done('transfer', '1', address, '--to', STRANGER, '--memo', 'order 7')

    expect(await balanceOf(address, STRANGER)).toBe((25n * ONE) / 10n)
    expect(events.map(({ name }: { name: string }) => name)).toEqual(['Transfer', 'Memo'])
    expect(events[1].arguments.memo).toBe(`0x${Buffer.from('order 7').toString('hex').padEnd(64, '0')}`)
  })

  test('a dry run changes nothing, and too large an amount is refused', async () => {
    const address = await created('--supply', '5')
    const { output } = await stock.run('transfer', '1', address, '--to', STRANGER, '--dry-run')

    expect(output).toContain(`Would transfer 1 TESTd to ${STRANGER}. Nothing was sent.`)
    expect(await balanceOf(address, STRANGER)).toBe(0n)
    const error = await stock.refused('transfer', '6', address, '--to', STRANGER)
    expect(error).toMatchObject({ status: 1, error: 'InsufficientBalance' })
    expect(await stock.refused('transfer', '1', address)).toMatchObject({ status: 2, code: 'INVALID_INPUT' })
    const long = 'x'.repeat(33)
    expect((await stock.refused('transfer', '1', address, '--to', STRANGER, '--memo', long)).message).toContain(
      '33 bytes',
    )
  })
})

describe('seize', () => {
  test('moves units of another account once the policy does not protect it', async () => {
    const address = await created('--supply', '5')
    await stock.done('transfer', '2', address, '--to', STRANGER)
    const seize = ['seize', '1', address, '--from', STRANGER, '--to', THIRD, '--memo', 'case 7']
    const error = await stock.refused(...seize)
    const [, advice] = /`tickertape stock (set-policy [^`]+)`/.exec(error.message)!
    await stock.done(...advice!.replace('TESTd', address).split(' '))
    const { events } = await stock.done(...seize)

    expect(error).toMatchObject({ status: 1, error: 'AccountNotSeizable' })
    expect(await balanceOf(address, THIRD)).toBe(ONE)
    expect(events.at(-1)).toMatchObject({ name: 'Seized', arguments: { from: STRANGER, to: THIRD } })
  })
})

describe('set-cap', () => {
  test('changes the cap, removes it, and refuses one below the supply', async () => {
    const address = await created('--supply', '5')
    const { before, after } = await stock.done('set-cap', '10.5', address)
    expect([before.supplyCap, after.supplyCap]).toEqual([null, '10.5'])
    expect(await stock.refused('set-cap', '4', address)).toMatchObject({ status: 1, error: 'InvalidSupplyCap' })
    expect((await stock.done('set-cap', 'none', address)).after.supplyCap).toBeNull()
    const huge = await stock.refused('set-cap', '340282366920938463463.374607431768211455', address)
    expect(huge).toMatchObject({ status: 2, code: 'INVALID_INPUT' })
    const stranger = await stock.refused('set-cap', '10', address, '--account', '1')
    expect(stranger).toMatchObject({ status: 1, error: 'AccessControlUnauthorizedAccount' })
  })
})

describe('policy and set-policy', () => {
  test('show and set who may receive', async () => {
    const address = await created('--supply', '5')
    const { policies } = await stock.done('policy', address)
    expect(policies).toMatchObject({ 'transfer-receiver': 'allow', 'mint-receiver': 'allow' })
    const { events } = await stock.done('set-policy', 'transfer-receiver', 'block', address)
    expect(events[0]).toMatchObject({ name: 'PolicyUpdated', arguments: { newPolicyId: String((1n << 56n) | 1n) } })
    expect((await stock.done('policy', address)).policies).toMatchObject({ 'transfer-receiver': 'block' })
    const error = await stock.refused('transfer', '1', address, '--to', STRANGER)
    expect(error).toMatchObject({ status: 1, error: 'PolicyForbids' })
  })

  test('refuse unknown scopes and policies', async () => {
    const address = await created()
    expect(await stock.refused('set-policy', 'sender', 'allow', address)).toMatchObject({ code: 'INVALID_INPUT' })
    expect(await stock.refused('set-policy', 'mint-receiver', 'deny', address)).toMatchObject({ code: 'INVALID_INPUT' })
    const error = await stock.refused('set-policy', 'mint-receiver', '77', address)
    expect(error).toMatchObject({ status: 1, error: 'PolicyNotFound' })
  })
})

describe('metadata and set-metadata', () => {
  test('show and set name, symbol, contract URI, ISIN and other keys', async () => {
    const address = await created('--isin', 'ZZ0000ACMED4')
    await stock.done('set-metadata', 'name', 'New Name', address)
    await stock.done('set-metadata', 'symbol', 'NEWd', address)
    await stock.done('set-metadata', 'contract-uri', 'https://issuer.example/x', address)
    await stock.done('set-metadata', 'lei', '5493001KJTIIGC8Y1R12', address)

    expect((await stock.done('metadata', address, '--keys', 'lei,cusip')).metadata).toEqual({
      name: 'New Name',
      symbol: 'NEWd',
      'contract-uri': 'https://issuer.example/x',
      isin: 'ZZ0000ACMED4',
      lei: '5493001KJTIIGC8Y1R12',
      cusip: '',
    })
    const wrong = await stock.refused('set-metadata', 'isin', 'ZZ0000ACMED5', address)
    expect(wrong.message).toContain('check digit')
    expect(await stock.refused('set-metadata', '', 'x', address)).toMatchObject({ error: 'InvalidMetadataKey' })
  })
})

describe('roles', () => {
  test('name the holders of each role at a block, also those of block 0 and without those whose role was revoked', async () => {
    const address = await created('--roles', 'mint')
    await stock.done('grant-role', 'burn', address, '--holder', '0x00000000000000000000000000000000000000aa')
    await stock.done('grant-role', 'pause', address, '--holder', STRANGER)
    await stock.done('revoke-role', 'pause', address, '--holder', STRANGER)

    expect((await stock.done('roles', address)).roles).toMatchObject({
      DEFAULT_ADMIN_ROLE: [OWNER],
      MINT_ROLE: [OWNER],
      BURN_ROLE: ['0x00000000000000000000000000000000000000aa'],
      PAUSE_ROLE: [],
    })
    const genesis = await stock.done('roles', 'MRDTLd', '--block', '0')
    expect(genesis.roles.MINT_ROLE).toEqual([OWNER])
    const { output } = await stock.run('roles', address)
    expect(output).toMatch(/^Roles of TESTd\n {2}DEFAULT_ADMIN_ROLE {2}0xf39f/)
    expect(output).toMatch(/PAUSE_ROLE +none\n/)
  })
})
