import { decodeEventLog, decodeFunctionResult, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { STOCK_FACTORY_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import { hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { ADMIN, assetParams, encodeCall, idOf } from '../support/stock-chain.ts'
import { STOCK_ROLES, STOCK_TOKEN_ABI } from '../support/stock-deployment.ts'

const UNIT = 10n ** 6n
const WAD = 10n ** 18n

interface Log {
  readonly topics: [Hex, ...Hex[]]
  readonly data: Hex
  readonly address: string
}

let server: ManualServer
let stock: Hex
let nonce = 0n

beforeAll(async () => {
  server = await startManualServer()
})
afterAll(() => server.stop())

/** Includes a call in the next flashblock and returns the events of the stock. */
async function send(functionName: string, args: readonly unknown[], to: string = stock): Promise<unknown[][]> {
  const data = hexToBytes(encodeCall(functionName, args))
  const hash = await server.send({ nonce, to: toAddress(to), value: 0n, data, gasLimit: 1_500_000n })
  nonce += 1n
  await server.nextFlashblock()
  const { status, logs } = await server.result<{ status: string; logs: Log[] }>('eth_getTransactionReceipt', hash)
  expect(status).toBe('0x1')
  return logs
    .filter(({ address }) => address === stock)
    .map(({ topics, data: words }) => {
      const { eventName, args: values } = decodeEventLog({ abi: STOCK_TOKEN_ABI, topics, data: words })
      return [eventName, ...Object.values(values ?? {})]
    })
}

async function getter(functionName: string, block: string): Promise<unknown> {
  const data = await server.result<Hex>('eth_call', { to: stock, data: encodeCall(functionName) }, block)
  return decodeFunctionResult({ abi: STOCK_TOKEN_ABI, functionName, data })
}

async function read(path: string): Promise<unknown> {
  const response = await fetch(`${server.url}/v1/tokenized-stocks${path}`)
  return response.json()
}

interface Expected {
  readonly supply: bigint
  readonly multiplier: bigint
  readonly paused: readonly number[]
  /** Present until its time. */
  readonly scheduled?: { readonly multiplier: number; readonly effective_at: string }
}

/** Expects the same values from the resources and from the contract's getters. */
async function expectAt(block: string, { supply, multiplier, paused, scheduled }: Expected): Promise<void> {
  const { tokens } = (await read(`?block=${block}`)) as { readonly tokens: { readonly contract_address: string }[] }
  expect(tokens.find(({ contract_address }) => contract_address === stock)).toEqual({
    contract_address: stock,
    symbol: 'TALKd',
    name: 'Conversation plc',
    decimals: 6,
    icon_url: '',
    total_supply: Number(supply) / 1e6,
    isin: 'ZZ0000HLCYN8',
    multiplier: Number(multiplier) / 1e18,
    paused_features: paused,
    nav_price: 0,
    nav_price_updated_at: null,
    ...(scheduled && { scheduled_multiplier: scheduled }),
    ...(await listingAt(block)),
  })
  expect(await read(`/total-supply/${stock}?block=${block}`)).toBe(Number(supply) / 1e6)
  expect(await getter('totalSupply', block)).toBe(supply)
  expect(await getter('multiplier', block)).toBe(multiplier)
  expect(await getter('uiMultiplier', block)).toBe(multiplier)
  expect(await getter('pausedFeatures', block)).toEqual(paused)
}

/** The stock is listed in block 1: its creation grants MINT_ROLE. */
async function listingAt(block: string): Promise<object> {
  const isOpen = block === 'pending' && server.node.view().head.sealed.latest === 0
  const { hash } = await server.result<{ hash: string }>('eth_getBlockByNumber', isOpen ? 'pending' : '0x1', false)
  return { listed_at_block: 1, listed_at_block_hash: hash, listed_at: '2026-01-01T00:00:02Z' }
}

/** Expects the values in the open block, and in the sealed block after it. */
async function expectNowAndSealed(expected: Expected): Promise<void> {
  await expectAt('pending', expected)
  await server.nextBlock()
  await expectAt('latest', expected)
}

test('resources, getters and logs agree through the life of a stock, flashblock by flashblock', async () => {
  const roles = STOCK_ROLES.map((role) => encodeCall('grantRole', [role, ADMIN]))
  const isin = encodeCall('updateExtraMetadata', ['isin', 'ZZ0000HLCYN8'])
  const params = assetParams({ name: 'Conversation plc', symbol: 'TALKd', decimals: 6 })
  const salt = idOf('conversation')
  const where = await server.result<Hex>('eth_call', {
    to: STOCK_FACTORY_ADDRESS,
    data: encodeCall('getB20Address', [0, ADMIN, salt]),
  })
  stock = `0x${where.slice(-40)}`
  expect((await fetch(`${server.url}/v1/tokenized-stocks/total-supply/${stock}?block=pending`)).status).toBe(404)

  await send('createB20', [0, salt, params, [...roles, isin]], STOCK_FACTORY_ADDRESS)
  await expectAt('pending', { supply: 0n, multiplier: WAD, paused: [] })
  // The sealed block does not have the stock yet.
  expect((await fetch(`${server.url}/v1/tokenized-stocks/total-supply/${stock}`)).status).toBe(404)
  await server.nextBlock()

  const minted = await send('mint', [ADMIN, 1_000n * UNIT])
  expect(minted).toEqual([['Transfer', `0x${'0'.repeat(40)}`, ADMIN, 1_000n * UNIT]])
  await expectAt('pending', { supply: 1_000n * UNIT, multiplier: WAD, paused: [] })
  await expectAt('latest', { supply: 0n, multiplier: WAD, paused: [] })
  await expectNowAndSealed({ supply: 1_000n * UNIT, multiplier: WAD, paused: [] })

  expect(await send('pause', [[1, 2]])).toEqual([['Paused', ADMIN, [1, 2]]])
  await expectNowAndSealed({ supply: 1_000n * UNIT, multiplier: WAD, paused: [1, 2] })
  await send('unpause', [[1, 2]])

  const { timestamp } = server.node.view().head.pending.block.header
  // Three blocks of two seconds later.
  const effectiveAt = timestamp + 6n
  const scheduled = await send('updateUIMultiplier', [2n * WAD, effectiveAt])
  expect(scheduled).toEqual([['UIMultiplierUpdated', WAD, 2n * WAD, effectiveAt]])
  const announced = {
    multiplier: 2,
    effective_at: new Date(Number(effectiveAt) * 1_000).toISOString().replace('.000', ''),
  }
  let blocks = 0
  for (; server.node.view().head.pending.block.header.timestamp < effectiveAt; blocks++) {
    await expectNowAndSealed({ supply: 1_000n * UNIT, multiplier: WAD, paused: [], scheduled: announced })
  }
  expect(blocks).toBe(3)
  // It has taken effect in the open block without a transaction; the sealed block is earlier.
  await expectAt('pending', { supply: 1_000n * UNIT, multiplier: 2n * WAD, paused: [] })
  await expectAt('latest', { supply: 1_000n * UNIT, multiplier: WAD, paused: [], scheduled: announced })
  await expectNowAndSealed({ supply: 1_000n * UNIT, multiplier: 2n * WAD, paused: [] })

  const burned = await send('burn', [1n])
  expect(burned).toEqual([['Transfer', ADMIN, `0x${'0'.repeat(40)}`, 1n]])
  await expectNowAndSealed({ supply: 1_000n * UNIT - 1n, multiplier: 2n * WAD, paused: [] })
  expect(await read(`/total-supply/${stock}/exact`)).toBe('999.999999')

  // Earlier blocks are unchanged.
  const height = `0x${(server.node.view().head.sealed.latest - 1).toString(16)}`
  await expectAt(height, { supply: 1_000n * UNIT, multiplier: 2n * WAD, paused: [] })
})
