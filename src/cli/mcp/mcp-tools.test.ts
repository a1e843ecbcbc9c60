import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { schemaViolations } from '../../../test/support/json-schema.ts'
import { type RunningNode, startNode } from '../../../test/support/running-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import type { Address } from '../../primitives/hex.ts'
import { type McpTools, TOOLS } from './mcp-tools.ts'
import { toolsOf } from './serve-mcp.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read members of answers that they compare.
type AnyJson = any

const [OWNER, OTHER, THIRD] = [0, 1, 2].map((index) => DEVELOPMENT_ACCOUNTS[index]!.address) as [
  Address,
  Address,
  Address,
]
const WRITING = ['send', 'mine', 'time_travel', 'snapshot', 'revert', 'set_account', 'stock_action']
const READING = TOOLS.map(({ name }) => name).filter((name) => !WRITING.includes(name))

let node: RunningNode
let reading: McpTools
let writing: McpTools
beforeAll(async () => {
  node = await startNode()
  const options = { rpcUrl: node.urls.rpc, requestTimeoutMs: 10_000 }
  reading = toolsOf({ ...options, allowWrites: false })
  writing = toolsOf({ ...options, allowWrites: true })
})
afterAll(() => node.close())

/** The answer of a tool, which must have its schema. */
async function done(name: string, args: object = {}): Promise<AnyJson> {
  const { structuredContent, content, isError } = await writing.call(name, args)
  expect(isError, content[0]!.text).toBeUndefined()
  expect(schemaViolations(TOOLS.find((tool) => tool.name === name)!.outputSchema, structuredContent)).toEqual([])
  expect(JSON.parse(content[0]!.text)).toEqual(structuredContent)
  return structuredContent
}

async function refused(name: string, args: object, tools = writing): Promise<string> {
  const { content, isError, structuredContent } = await tools.call(name, args)
  expect({ isError, structuredContent }).toEqual({ isError: true, structuredContent: undefined })
  return content[0]!.text
}

describe('docs/mcp.md', () => {
  const page = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8')
  const [, session = ''] = page.split('## Why did this transaction fail?')
  const blocks = [...session.matchAll(/```json\n(.*?)```/gs)].map(([, json]) => JSON.parse(json!))

  test.each(blocks.flatMap((block, index) => ('tool' in block ? [[block, blocks[index + 1]]] : [])))(
    'shows the answer of a new chain to %j',
    async ({ tool, arguments: args }, shown) => {
      const { structuredContent, isError, content } = await reading.call(tool, args)

      expect(isError ? { isError, text: content[0]!.text } : structuredContent).toMatchObject(shown)
    },
  )
})

describe('without --allow-writes', () => {
  test('lists only tools that read', () => {
    expect(reading.list().map(({ name }) => name)).toEqual(READING)
    expect(reading.list().every(({ annotations }: AnyJson) => annotations.readOnlyHint)).toBe(true)
  })

  test.each(WRITING)('refuses %s and names the flag', async (name) => {
    expect(await refused(name, {}, reading)).toContain('--allow-writes')
  })
})

test('lists every tool with --allow-writes', () => {
  expect(writing.list().map(({ name }) => name)).toEqual([...READING, ...WRITING])
})

test.each([
  ['read_account', {}, 'address: is required'],
  ['read_account', { address: '0x12' }, 'address: hex string has length 2, want 40 for 20 bytes'],
  ['read_account', { address: OWNER, blok: 1 }, "unknown member 'blok', want address, block, slots, code"],
  ['read_account', { address: OWNER, block: 'newest' }, 'block: hex string without 0x prefix'],
  ['call_function', { function: 'symbol' }, 'to: is required with function'],
  ['call_function', { to: OWNER, function: 'no such' }, 'function: unknown function'],
  ['call_function', { to: OWNER, function: 'f(uint256)', args: [] }, 'args: f(uint256) takes 1 arguments, got 0'],
  ['call_function', { to: OWNER, function: 'f(uint8)', args: ['one'] }, 'args[0]: an integer is'],
  ['call_function', { to: OWNER, function: 'f(uint8)', args: [300] }, 'args: f(uint8): '],
  ['call_function', { to: OWNER, function: 'f(address[])', args: [['0x1']] }, 'args[0][0]: an address has 20 bytes'],
  ['call_function', { to: OWNER, args: [1] }, 'function: is required with args'],
  ['simulate', {}, 'to: is required'],
  ['simulate', { to: OWNER, value: '1.5' }, 'value: invalid number'],
  ['trace', {}, 'hash: is required'],
  ['explain_failure', { hash: `0x${'00'.repeat(32)}`, to: OWNER }, 'hash: cannot be combined'],
  ['get_logs', { event: 'Transfer' }, 'event: a signature is required'],
  ['send', { raw: '0x00', to: OWNER }, 'raw: cannot be combined'],
  ['time_travel', {}, 'seconds: give either seconds or timestamp'],
  ['set_account', { address: OWNER }, 'address: name what to change'],
  ['stock_action', { command: 'list' }, 'command: want create, '],
  ['stock_action', { command: 'burn', flags: { privateKey: '0x1' } }, 'flags.privateKey: unknown flag'],
])('%s %j is refused with the argument and the reason', async (name, args, reason) => {
  const text = await refused(name, args)

  expect(text).toContain(`invalid arguments of ${name}: `)
  expect(text).toContain(reason)
})

test('an unknown tool is answered with the tools that exist', async () => {
  expect(await refused('mint', {}, reading)).toBe(`unknown tool mint: the tools are ${READING.join(', ')}`)
})

test('a node that cannot be reached is an error of the tool', async () => {
  const away = toolsOf({ rpcUrl: 'http://127.0.0.1:9', requestTimeoutMs: 1_000, allowWrites: false })

  expect(await refused('status', {}, away)).toContain('no node can be reached at http://127.0.0.1:9')
})

describe('reading', () => {
  test('status names chain, profile, blocks and development methods', async () => {
    expect(await done('status')).toMatchObject({
      client: expect.stringMatching(/^Tickertape/),
      chainId: 31337,
      profile: 'flashblocks',
      development: true,
      latest: { number: expect.any(Number), time: expect.stringMatching(/^20.*Z$/) },
      pool: { pending: expect.any(Number), queued: 0 },
    })
  })

  test('read_account gives balance, code and storage with the name', async () => {
    const { stocks } = await done('list_stocks')
    const account = await done('read_account', { address: stocks[0].address, slots: [0], block: 'latest' })

    expect(account).toMatchObject({ name: stocks[0].symbol, nonce: expect.any(Number) })
    expect(account.codeSize).toBeGreaterThan(0)
    expect(account.storage).toEqual([{ slot: '0x0', value: expect.stringMatching(/^0x[0-9a-f]{64}$/) }])
    expect(await done('read_account', { address: THIRD })).toMatchObject({ balanceWei: `${10n ** 22n}`, codeSize: 0 })
  })

  test('call_function decodes a result by the known ABI and by a given signature', async () => {
    const { stocks } = await done('list_stocks')
    const to = stocks[0].address

    expect(await done('call_function', { to, function: 'symbol' })).toMatchObject({
      success: true,
      result: { 0: stocks[0].symbol },
    })
    const declared = 'balanceOf(address holder) returns (uint256 units)'
    expect(await done('call_function', { to, function: declared, args: [to] })).toMatchObject({
      success: true,
      result: { units: '0' },
    })
  })

  test('stocks are found by ISIN, and have holders and a history', async () => {
    const { stocks } = await done('list_stocks')
    const { isin, address, symbol } = stocks[0]

    expect(await done('get_stock', { stock: isin })).toMatchObject({
      stock: { address, symbol },
      feed: { price: expect.any(String), frozen: false },
    })
    expect((await done('stock_holders', { stock: symbol, limit: 1 })).entries).toHaveLength(1)
    expect(await done('stock_history', { stock: isin, field: 'actions' })).toMatchObject({ address })
    expect(await refused('get_stock', { stock: 'NONE' })).toContain('no stock of the factory has the symbol NONE')
  })

  test('simulate gives changes of balances without sending', async () => {
    const { stocks } = await done('list_stocks')
    const { address, symbol } = stocks[0]
    const transfer = { from: OWNER, to: address, function: 'transfer(address,uint256)', args: [OTHER, 5] }
    const ether = await done('simulate', { from: OWNER, to: OTHER, value: '7' })
    const token = await done('simulate', transfer)

    expect(ether.balanceChanges).toEqual([
      { address: OWNER, name: 'Account 0', asset: 'ETH', change: '-7' },
      { address: OTHER, name: 'Account 1', asset: 'ETH', change: '7' },
    ])
    expect(token).toMatchObject({
      success: true,
      logs: [{ contract: symbol, event: 'Transfer(address,address,uint256)' }],
    })
    expect(token.balanceChanges).toEqual(
      [
        { address: OWNER, change: '-5' },
        { address: OTHER, change: '5' },
      ].map((change) => expect.objectContaining({ asset: address, symbol, ...change })),
    )
  })
})

test('trace names the frames that it does not read', async () => {
  // PUSH2 5120, then JUMPDEST PUSH0 (4 times) ADDRESS GAS STATICCALL POP, and so on until the counter is 0.
  const data = '0x6114005b5f5f5f5f305afa50600190038060035700'

  const traced = await done('trace', { data, gas: 10_000_000 })
  const explained = await done('explain_failure', { data, gas: 10_000_000 })

  expect(traced.truncated[0]).toBe('trace: the first 5000 of 5121 frames')
  expect(explained.truncated).toEqual(['trace: the first 5000 of 5121 frames'])
})

test.each([
  [404, undefined],
  [405, ['verified sources cannot be read (HTTP status 405): names of contracts and functions may be missing']],
  [503, ['verified sources cannot be read (HTTP status 503): names of contracts and functions may be missing']],
  [200, [expect.stringMatching(/^verified sources cannot be read \(.*JSON/)]],
])('notes verified sources that cannot be read, but not status 404: status %i', async (status, notes) => {
  const server = createServer(async (request, response) => {
    if (request.url!.startsWith('/verify')) return void response.writeHead(status).end('no JSON')
    const answer = await fetch(node.urls.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: await text(request),
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const tools = toolsOf({ rpcUrl: `http://127.0.0.1:${port}`, requestTimeoutMs: 10_000, allowWrites: false })

  const { structuredContent } = await tools.call('read_account', { address: OWNER })
  const unknown = await refused('call_function', { to: OWNER, function: 'no such' }, tools)

  expect(structuredContent).toMatchObject({ nonce: expect.any(Number) })
  expect(structuredContent!.notes).toEqual(notes)
  expect(unknown.includes('; verified sources cannot be read')).toBe(notes !== undefined)
})

describe('a failed transaction', () => {
  const mint = async () => {
    const { stocks } = await done('list_stocks')
    return { from: OTHER, to: stocks[0].address, function: 'mint(address,uint256)', args: [OTHER, '1'] }
  }
  const LACKS_ROLE = { kind: 'custom error', name: 'AccessControlUnauthorizedAccount', args: { account: OTHER } }

  test('is refused with its error before it is sent', async () => {
    expect(await refused('send', await mint())).toMatch(
      /^it would fail.*AccessControlUnauthorizedAccount\(account: 0x7099/,
    )
  })

  test('is explained with the error, the path of calls and gas', async () => {
    const { hash, succeeded } = await done('send', { ...(await mint()), gas: 300_000 })
    const explained = await done('explain_failure', { hash })
    const { stocks } = await done('list_stocks')

    expect(succeeded).toBe(false)
    expect(explained).toMatchObject({ failed: true, error: LACKS_ROLE, gas: { limit: 300_000 } })
    expect(explained.path[0]).toMatchObject({
      contract: stocks[0].symbol,
      function: 'mint(address,uint256)',
      args: { amount: '1' },
      error: expect.stringContaining('AccessControlUnauthorizedAccount'),
    })
    expect(explained.summary).toContain('mint(address,uint256)')
    expect(await done('get_transaction', { hash })).toMatchObject({
      succeeded: false,
      call: { function: 'mint(address,uint256)' },
    })
    expect((await done('trace', { hash, maxDepth: 0 })).call).toMatchObject({ contract: stocks[0].symbol })
  })

  test('is explained before it is sent', async () => {
    expect(await done('explain_failure', await mint())).toMatchObject({ failed: true, error: LACKS_ROLE })
    expect(await done('simulate', await mint())).toMatchObject({ success: false, error: LACKS_ROLE })
    expect(await done('call_function', await mint())).toMatchObject({ success: false, error: LACKS_ROLE })
  })

  test('without gas left is explained as out of gas', async () => {
    // JUMPDEST PUSH1 0 JUMP: loops until there is no gas.
    const { hash } = await done('send', { data: '0x5b600056', gas: 100_000 })

    expect(await done('explain_failure', { hash })).toMatchObject({ failed: true, error: { kind: 'out of gas' } })
  })

  test('that is unknown is an error of the tool', async () => {
    expect(await refused('explain_failure', { hash: `0x${'12'.repeat(32)}` })).toContain(
      'does not know transaction 0x1212',
    )
  })
})

describe('writing', () => {
  test('send waits for the seal, and its block, logs and transaction can be read', async () => {
    const sent = await done('send', { from: OWNER, to: THIRD, value: '1', waitFor: 'seal' })

    expect(sent).toMatchObject({ succeeded: true, status: 'sealed' })
    expect((await done('get_block', { block: sent.blockNumber })).transactions).toContain(sent.hash)
    expect(await done('get_block', { block: sent.blockNumber, transactions: true })).toMatchObject({
      transactions: expect.arrayContaining([expect.objectContaining({ hash: sent.hash, valueWei: '1' })]),
    })
    expect(await done('get_transaction', { hash: sent.hash })).toMatchObject({
      status: 'sealed',
      valueWei: '1',
      logs: [],
    })
    expect(await done('explain_failure', { hash: sent.hash })).toMatchObject({ failed: false })
  })

  test('revert returns to a snapshot', async () => {
    const { id } = await done('snapshot')
    await done('set_account', { address: THIRD, balanceWei: '5', storage: [{ slot: 1, value: 2 }], impersonate: true })
    expect(await done('read_account', { address: THIRD, slots: [1] })).toMatchObject({
      balanceWei: '5',
      storage: [{ value: `0x${'2'.padStart(64, '0')}` }],
    })

    await done('revert', { id })

    expect(BigInt((await done('read_account', { address: THIRD })).balanceWei)).toBeGreaterThan(5n)
    expect(await refused('revert', { id })).toContain(`there is no snapshot ${id}`)
  })

  test('time_travel moves chain time, and mine adds blocks', async () => {
    const before = await done('mine')
    const after = await done('time_travel', { seconds: 86_400 })

    expect(Date.parse(after.time) - Date.parse(before.time)).toBeGreaterThanOrEqual(86_400_000)
    expect((await done('mine', { blocks: 3, intervalSeconds: 10 })).blockNumber).toBeGreaterThanOrEqual(
      after.blockNumber + 3,
    )
  })

  test('stock_action mints, and get_logs shows the transfer', async () => {
    const { stocks } = await done('list_stocks')
    const action = { command: 'mint', arguments: ['2', stocks[0].symbol], flags: { to: THIRD } }
    const dry = await done('stock_action', { ...action, flags: { ...action.flags, dryRun: true } })
    const minted = await done('stock_action', action)
    const logs = await done('get_logs', {
      address: stocks[0].address,
      event: 'Transfer(address, address, uint256)',
      fromBlock: 'earliest',
    })

    expect([dry.dryRun, minted.dryRun]).toEqual([true, false])
    expect(logs.logs.at(-1)).toMatchObject({
      contract: stocks[0].symbol,
      event: 'Transfer(address,address,uint256)',
      args: expect.objectContaining({ to: THIRD }),
    })
  })
})
