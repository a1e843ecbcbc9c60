import { encodeAbiParameters, encodeFunctionData, type Hex, multicall3Abi, parseAbiParameters, slice } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { b20Address } from '../../src/chain/b20/addresses.ts'
import { genesisPredeploys } from '../../src/chain/genesis/genesis-predeploys.ts'
import { bytesToHex, toAddress, toHash } from '../../src/primitives/hex.ts'
import { expectCheckOrder } from '../support/check-order.ts'
import {
  ADMIN,
  ALICE,
  assetParams,
  BOB,
  CAROL,
  encodeCall,
  FACTORY,
  idOf,
  type StockChain,
  startStockChain,
  ZERO,
} from '../support/stock-chain.ts'

const [ASSET, STABLECOIN] = [0, 1]
const SALT = idOf('salt')

let chain: StockChain
beforeEach(async () => {
  chain = await startStockChain('denim')
})
afterEach(() => chain.close())

function stablecoinParams(fields: { version?: number; currency?: string; admin?: Hex } = {}): Hex {
  const { version = 1, currency = 'USD', admin = ADMIN } = fields
  const types = '(uint8 version, string name, string symbol, address initialAdmin, string currency)'
  return encodeAbiParameters(parseAbiParameters(types), [
    { version, name: 'Dollar', symbol: 'USDd', initialAdmin: admin, currency },
  ])
}

const create = (from: Hex, ...args: unknown[]) => chain.send(from, 'createB20', args, { to: FACTORY })

test('creates a stablecoin with six decimals and its currency', async () => {
  const { result, events } = await create(CAROL, STABLECOIN, SALT, stablecoinParams(), [])
  const token = result as Hex
  expect(token.toLowerCase()).toBe(b20Address('stablecoin', toAddress(CAROL), toHash(SALT)))
  const variantParams = encodeAbiParameters(parseAbiParameters('(uint8 version, string currency)'), [
    { version: 1, currency: 'USD' },
  ])
  expect(events).toEqual([
    ['B20Created', token, STABLECOIN, 'Dollar', 'USDd', 6, variantParams],
    ['RoleGranted', `0x${'00'.repeat(32)}`, ADMIN, FACTORY],
  ])
  expect(await chain.read('currency', [], token)).toBe('USD')
  expect(await chain.read('decimals', [], token)).toBe(6)
  const unknown = await chain.raw(ALICE, encodeCall('multiplier'), { to: token })
  expect([unknown.status, bytesToHex(unknown.output)]).toEqual(['revert', encodeCall('multiplier')])
})

test('checks variant, version, decimals or currency, then whether the token exists', async () => {
  const attempt = {
    from: ALICE,
    functionName: 'createB20',
    args: [2, SALT, assetParams({ version: 2, decimals: 5 }), []],
  }
  chain.stock = FACTORY
  await expectCheckOrder(chain, attempt, [
    [['InvalidVariant'], ({ args }) => args.splice(0, 1, ASSET)],
    [['UnsupportedVersion', 2, ASSET], ({ args }) => args.splice(2, 1, assetParams({ decimals: 5 }))],
    [['InvalidDecimals', 5], ({ args }) => args.splice(2, 1, assetParams({ decimals: 19 }))],
    [['InvalidDecimals', 19], ({ args }) => args.splice(2, 1, assetParams({ decimals: 6 }))],
  ])
  const created = b20Address('asset', toAddress(ALICE), toHash(SALT))
  const [name, token] = await chain.refusal(ALICE, 'createB20', attempt.args)
  expect([name, String(token).toLowerCase()]).toEqual(['TokenAlreadyExists', created])
  await expectCheckOrder(chain, { ...attempt, args: [STABLECOIN, SALT, stablecoinParams({ version: 3 }), []] }, [
    [['UnsupportedVersion', 3, STABLECOIN], ({ args }) => args.splice(2, 1, stablecoinParams({ currency: '' }))],
    [['MissingRequiredField', 'currency'], ({ args }) => args.splice(2, 1, stablecoinParams({ currency: 'UsD' }))],
    [['InvalidCurrency', 'UsD'], ({ args }) => args.splice(2, 1, stablecoinParams())],
  ])
})

test('runs the first calls without roles and transfer policies, but with the policy of mints and the own roles', async () => {
  const block = encodeCall('updatePolicy', [idOf('MINT_RECEIVER_POLICY'), (1n << 56n) | 1n])
  const mint = encodeCall('mint', [BOB, 5n])
  const refusal = (...calls: Hex[]) =>
    chain.refusal(ALICE, 'createB20', [ASSET, SALT, assetParams(), calls], { to: FACTORY })
  expect(await refusal(block, mint)).toEqual(['PolicyForbids', idOf('MINT_RECEIVER_POLICY'), (1n << 56n) | 1n])
  expect(await refusal(encodeCall('burn', [0n]))).toEqual([
    'AccessControlUnauthorizedAccount',
    FACTORY,
    idOf('BURN_ROLE'),
  ])
  const { result: token } = await create(ALICE, ASSET, SALT, assetParams(), [mint])
  expect(await chain.read('balanceOf', [BOB], token as Hex)).toBe(5n)
})

test('refuses a first call that initializes the token again, also within an announcement', async () => {
  const noAdmin = { asset: assetParams({ admin: ZERO }), stablecoin: stablecoinParams({ admin: ZERO }) }
  const asset = encodeCall('initialize', ['Other', 'OTHER', 77, ALICE, []])
  const stablecoin = encodeCall('initialize', ['Other', 'OTHER', 'usd', ALICE, []])
  const attempt = (variant: number, params: Hex, call: Hex) =>
    chain.raw(CAROL, encodeCall('createB20', [variant, SALT, params, [call]]), { to: FACTORY })

  const refused = [
    await attempt(ASSET, noAdmin.asset, asset),
    await attempt(STABLECOIN, noAdmin.stablecoin, stablecoin),
  ]
  const announcement = encodeCall('announce', [[asset], 'id', 'description', 'uri'])
  const announced = await chain.refusal(CAROL, 'createB20', [ASSET, SALT, noAdmin.asset, [announcement]], {
    to: FACTORY,
  })

  const selectors = [asset, stablecoin].map((call) => ['revert', slice(call, 0, 4)])
  expect(refused.map(({ status, output }) => [status, bytesToHex(output)])).toEqual(selectors)
  expect(announced).toEqual(['InternalCallFailed', asset])
})

test('initializes several tokens that are created in one transaction', async () => {
  const multicall = genesisPredeploys(31_337n).find(({ name }) => name === 'Multicall3')!.address
  const calls = [idOf('first'), idOf('second')].map((salt) => ({
    target: FACTORY,
    allowFailure: false,
    callData: encodeCall('createB20', [ASSET, salt, assetParams({ decimals: 8 }), [encodeCall('mint', [BOB, 5n])]]),
  }))

  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  expect((await chain.raw(ALICE, data, { to: multicall })).status).toBe('success')

  const tokens = (await chain.read('stocksFrom', [7n, 5n], FACTORY)) as Hex[]
  const decimals = await Promise.all(tokens.map((token) => chain.read('decimals', [], token)))
  expect(decimals).toEqual([8, 8])
})

test('a creation that fails leaves no token', async () => {
  const args = [ASSET, SALT, assetParams(), [encodeCall('mint', [ZERO, 1n])]]
  expect(await chain.refusal(ALICE, 'createB20', args, { to: FACTORY })).toEqual(['InvalidReceiver', ZERO])
  const token = (await chain.read('getB20Address', [ASSET, ALICE, SALT], FACTORY)) as Hex
  expect(chain.codeSize(token)).toBe(0)
  expect(await chain.read('isB20Initialized', [token], FACTORY)).toBe(false)
})

test('lists the demonstration stocks of block 0, then creations in order', async () => {
  const { result } = await create(ALICE, ASSET, SALT, assetParams(), [])
  expect(await chain.read('stockCount', [], FACTORY)).toBe(8n)
  expect(await chain.read('stocksFrom', [6n, 5n], FACTORY)).toEqual([chain.stock, result])
})

test('no other account can initialize a token or use the host of the native contracts', async () => {
  const initialize = encodeCall('initialize', ['x', 'x', 6, ALICE, []])
  const { status, output } = await chain.raw(ALICE, initialize)
  expect([status, output.length]).toEqual(['revert', 4])
  const host = `0xb20f0000000000000000000000000000000000ff` as Hex
  expect(await chain.raw(ALICE, ALICE, { to: host })).toMatchObject({ status: 'success', output: new Uint8Array(0) })
  expect(chain.codeSize(ALICE)).toBe(0)
})
