import { afterAll, beforeAll, expect, test } from 'vitest'
import { toAddress } from '../../src/primitives/hex.ts'
import { READS } from '../../src/rest/tokenized-stocks/abi.ts'
import { parseRegistry } from '../../src/rest/tokenized-stocks/parse-registry.ts'
import { EMPTY_REGISTRY, type Registry } from '../../src/rest/tokenized-stocks/registry.ts'
import { initCode } from '../support/contracts.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { type StandaloneService, standaloneService } from '../support/standalone-service.ts'

const LIST = '/v1/tokenized-stocks'
/** Reverts with nothing, as a bare `revert()`. */
const REVERT = '5f5ffd'
/** Reverts with a word. */
const REVERT_WITH_DATA = '60015f5260205ffd'

let node: ManualServer
let alone: StandaloneService
let registry: Registry = EMPTY_REGISTRY
let nonce = 0n

beforeAll(async () => {
  node = await startManualServer({}, {}, {}, { registry: () => registry })
  alone = standaloneService({ url: node.url, registry: () => registry })
})
afterAll(() => node.stop())

/** Code that runs `bodies` by selector and reverts without data for others. LOOP in a body is a place in it. */
function dispatcher(bodies: ReadonlyMap<string, string>): string {
  const rows = [...bodies]
  let place = 5 + rows.length * 10 + 3
  const places = rows.map(([, body]) => {
    const own = place
    place += 1 + body.replaceAll('LOOP', '00').length / 2
    return own
  })
  const hex = (value: number) => value.toString(16).padStart(2, '0')
  const head = rows.map(([selector], index) => `8063${selector}1460${hex(places[index]!)}57`)
  const tail = rows.map(([, body], index) => `5b${body.replaceAll('LOOP', hex(places[index]! + 4))}`)
  return `5f3560e01c${head.join('')}${REVERT}${tail.join('')}`
}

const returning = (value: string) => `60${value}5f5260205ff3`
const returningWord = (value: bigint) => `7f${value.toString(16).padStart(64, '0')}5f5260205ff3`
/** Returns 7 after 10,000 rounds, about 320,000 gas. */
const HEAVY = `6127105b600190038060LOOP5750${returning('07')}`
const selectorOf = (call: keyof typeof READS) => Buffer.from(READS[call]).toString('hex')

/** Deploys a token with supply and decimals 6, and these functions. */
async function tokenWith(functions: Partial<Record<keyof typeof READS, string>>): Promise<string> {
  const bodies = new Map(
    Object.entries({ 'totalSupply()': returning('06'), 'decimals()': returning('06'), ...functions }),
  )
  const code = dispatcher(new Map([...bodies].map(([call, body]) => [selectorOf(call as keyof typeof READS), body])))
  const hash = await node.send({ nonce, to: null, value: 0n, data: initCode(code), gasLimit: 400_000n })
  nonce += 1n
  await node.nextBlock()
  return (await node.result<{ contractAddress: string }>('eth_getTransactionReceipt', hash)).contractAddress
}

/** The list with these tokens, from both services. */
async function listOf(address: string, members: object = {}): Promise<{ tokens: Record<string, unknown>[] }> {
  const token = { contract_address: address, symbol: 's', name: 'n', isin: 'US0378331005', ...members }
  registry = parseRegistry('test', JSON.stringify({ discover: false, tokens: [token] }))
  const text = await (await fetch(`${node.url}${LIST}`)).text()
  expect((await alone.get(LIST)).body).toBe(text)
  return JSON.parse(text)
}

test.each(['multiplier()', 'uiMultiplier()', 'pausedFeatures()'] as const)(
  'a token whose %s reverts has no record, and the list names the call',
  async (call) => {
    for (const body of [REVERT, REVERT_WITH_DATA]) {
      const address = await tokenWith({ [call]: body })
      const problem = { contract_address: address, call, message: 'execution reverted' }
      expect(await listOf(address)).toEqual({ tokens: [], problems: [problem] })
    }
  },
)

test('a multiplier that needs 320,000 gas is read', async () => {
  const address = await tokenWith({ 'multiplier()': HEAVY })
  expect(await listOf(address)).toMatchObject({ tokens: [{ multiplier: 7e-18 }] })
})

test('a token without multiplier, pauses and price is listed with the multiplier 1 and without problems', async () => {
  const { tokens, ...others } = await listOf(await tokenWith({}))
  expect(tokens).toMatchObject([{ multiplier: 1, paused_features: [], total_supply: 6e-6 }])
  expect(others).toEqual({})
})

test('a price feed that reverts is a problem of the list, and the token keeps its record', async () => {
  const feed = await tokenWith({ 'latestRoundData()': REVERT_WITH_DATA })
  const list = await listOf(await tokenWith({}), { nav_feed_address: feed })
  expect(list).toMatchObject({ tokens: [{ nav_price: 0, nav_price_updated_at: null }] })
  expect(list).toMatchObject({ problems: [{ contract_address: feed, call: 'latestRoundData()' }] })
})

test('a token marked in the registry has the multiplier 1, even if its multiplier reverts', async () => {
  const address = await tokenWith({ 'multiplier()': REVERT_WITH_DATA })
  const { tokens, ...others } = await listOf(address, { supply_includes_multiplier: true })
  expect(tokens).toMatchObject([{ multiplier: 1 }])
  expect(others).toEqual({})
})

test('the list says when totalSupplyUI() contradicts supply and multiplier', async () => {
  const multiplied = await tokenWith({
    'multiplier()': '671bc16d674ec800005f5260205ff3',
    'totalSupplyUI()': returning('06'),
  })
  expect(await listOf(multiplied)).toMatchObject({
    tokens: [{ multiplier: 2 }],
    problems: [{ call: 'totalSupplyUI()', message: expect.stringContaining('supply_includes_multiplier') }],
  })
  expect(await listOf(multiplied, { supply_includes_multiplier: true })).not.toHaveProperty('problems')
})

test.each([
  ['reverts', REVERT_WITH_DATA, 'execution reverted'],
  ['reverts without data', REVERT, 'execution reverted'],
  ['needs more gas than a call has', '6127105b60LOOP56', 'out of gas'],
])('a supply whose call %s is refused with 400 and the name of the call', async (_, body, message) => {
  const address = await tokenWith({ 'totalSupply()': body })
  const path = `${LIST}/total-supply/${address}`
  const response = await fetch(`${node.url}${path}`)
  expect([response.status, await response.json()]).toEqual([
    400,
    { code: 9, message: `totalSupply() of ${address} failed: ${message}`, details: [] },
  ])
  expect(await alone.get(path)).toMatchObject({ status: 400 })
  expect((await alone.get(path)).body).toContain('totalSupply() of')
})

test('an address without the functions of a token is still not found', async () => {
  const address = toAddress(`0x${'99'.repeat(20)}`)
  expect((await fetch(`${node.url}${LIST}/total-supply/${address}`)).status).toBe(404)
})

test('a token of ERC-8056 has its multiplier and its scheduled one, without the functions of the asset standard', async () => {
  const token = await tokenWith({
    // 2^61 and 2^62, of 18 decimals, from the year 2100 on.
    'uiMultiplier()': returningWord(1n << 61n),
    'newUIMultiplier()': returningWord(1n << 62n),
    'effectiveAt()': returningWord(4_102_444_800n),
  })
  const scheduled = { multiplier: 4.611686018427388, effective_at: '2100-01-01T00:00:00Z' }

  const { tokens } = await listOf(token)

  expect(tokens).toMatchObject([{ multiplier: 2.305843009213694, scheduled_multiplier: scheduled }])
  const one = await (await fetch(`${node.url}${LIST}/${token}?exact=true`)).json()
  expect(one).toMatchObject({ scheduled_multiplier: { ...scheduled, multiplier_exact: '4.611686018427387904' } })
  expect(JSON.parse((await alone.get(`${LIST}/${token}?exact=true`)).body as string)).toEqual(one)
})

test('a schedule whose time has passed is none', async () => {
  const token = await tokenWith({
    'uiMultiplier()': returningWord(1n << 62n),
    'newUIMultiplier()': returningWord(1n << 62n),
    'effectiveAt()': returningWord(1_735_689_600n),
  })

  const { tokens } = await listOf(token)

  expect(tokens[0]).not.toHaveProperty('scheduled_multiplier')
})

test('a token that refuses to name its schedule stays listed, and the list names the call', async () => {
  const token = await tokenWith({ 'newUIMultiplier()': REVERT_WITH_DATA, 'effectiveAt()': REVERT_WITH_DATA })

  const list = await listOf(token)

  expect(list).toMatchObject({ tokens: [{ multiplier: 1 }], problems: [{ call: 'newUIMultiplier()' }] })
  expect(list.tokens[0]).not.toHaveProperty('scheduled_multiplier')
})
