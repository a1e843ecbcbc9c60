import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../src/primitives/hex.ts'
import type { ProgramResult } from '../support/compiled-program.ts'
import { type JsonRpcClient, jsonRpcClient } from '../support/json-rpc-client.ts'
import { type RunningNode, startNode } from '../support/running-node.ts'
import { runStock, type StockCommands, stockCommands } from '../support/stock-cli.ts'

const [OWNER, STRANGER] = DEVELOPMENT_ACCOUNTS
const MRDTLD = '0x5700000000000000000000000000000000000002'

let node: RunningNode
let client: JsonRpcClient
beforeAll(async () => {
  node = await startNode({ flashblockInterval: 50 })
  client = jsonRpcClient(node.urls.rpc)
})
afterAll(() => node.close())

const commands = () => stockCommands(node.urls.rpc)
const stock: StockCommands['run'] = (...args) => commands().run(...args)
const done: StockCommands['done'] = (...args) => commands().done(...args)
const refused: StockCommands['refused'] = (...args) => commands().refused(...args)
const created = async (...flags: readonly string[]): Promise<string> =>
  (await done('create', 'TESTd', 'Test Stock', ...flags)).after.address

const shown = async (name: string) => (await done('show', name)).stock

describe('list and show', () => {
  test('list shows all stocks of the genesis at one block', async () => {
    const { block, stocks } = await done('list', '--block', '0')
    expect(block).toEqual({ number: 0, timestamp: '2025-01-01T00:00:00Z' })
    expect(stocks).toHaveLength(6)
    expect(stocks[3]).toEqual({
      address: '0x5700000000000000000000000000000000000004',
      symbol: 'OSTGLd',
      name: 'Ostrander Glassworks Demo Stock',
      decimals: 8,
      totalSupply: '750000',
      supplyCap: null,
      multiplier: '0.25',
      scheduledMultiplier: null,
      pausedFeatures: ['mint', 'burn'],
      isin: 'ZZ0000OSTGL4',
    })
    expect(stocks[5].scheduledMultiplier).toEqual({ multiplier: '3', effectiveAt: '2035-01-01T00:00:00Z' })
  })

  test('list prints a table for people', async () => {
    const { status, output } = await stock('list', '--block', '0')
    expect(status).toBe(0)
    const lines = output.trimEnd().split('\n')
    expect(lines[0]).toBe('6 stocks in block 0 of 2025-01-01T00:00:00Z')
    expect(lines[2]).toMatch(/^SYMBOL +SUPPLY {2}MULTIPLIER {2}ADDRESS$/)
    expect(lines[4]).toMatch(/^MRDTLd {2}2500000\.125 +1 {2}0x57\w+02$/)
    for (const note of ['paused: mint, burn', 'scheduled: 3 from 2035-01-01T00:00:00Z on'])
      expect(lines).toContain(`        ${note}`)
    // It fits a terminal, and columns are aligned.
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(new Set(lines.flatMap((line) => line.match(/^.*(?=0x57)/) ?? []).map(({ length }) => length)).size).toBe(1)
  })

  test('a list that is wider than a terminal has a line for each address', async () => {
    const address = await created('--supply', '123456789012345678.123456789012345678')
    const { output } = await stock('list')
    expect(output).toContain(`\n        ${address}\n`)
    expect(Math.max(...output.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  test('list and show read the open block unless another is named', async () => {
    const address = await created('--supply', '5')
    expect((await done('show', address)).stock.totalSupply).toBe('5')
    expect((await done('list')).stocks.map((stock: { address: string }) => stock.address)).toContain(address)
  })

  test('show accepts a symbol or an address, and a tag, a number or a hash', async () => {
    const { hash } = (await client.result('eth_getBlockByNumber', '0x0', false)) as { hash: string }
    const responses = await Promise.all([
      done('show', 'MRDTLd', '--block', '0'),
      done('show', MRDTLD, '--block', '0x0'),
      done('show', 'MRDTLd', '--block', hash),
    ])
    for (const response of responses) expect(response).toEqual(responses[0])
    expect(responses[0].stock).toMatchObject({ address: MRDTLD, totalSupply: '2500000.125', supplyCap: null })
  })

  test('an unknown symbol is rejected, with a suggestion that differs in case', async () => {
    expect(await refused('show', 'NOPE')).toMatchObject({ status: 2, code: 'STOCK_NOT_FOUND' })
    const { message } = await refused('show', 'mrdtld')
    expect(message).toContain('MRDTLd differs in case only')
  })

  test('an ambiguous symbol is rejected with both addresses', async () => {
    const twin = async (name: string) => (await done('create', 'TWINd', name)).after.address
    const addresses = [await twin('One'), await twin('Other')]
    const error = await refused('mint', '1', 'TWINd')
    expect(error).toMatchObject({ status: 2, code: 'STOCK_AMBIGUOUS', candidates: addresses })
    expect(error.message).toContain(addresses.join(' or '))
  })

  test('an account without code and a foreign contract are rejected', async () => {
    for (const address of [STRANGER!.address, '0x4200000000000000000000000000000000000006']) {
      expect(await refused('show', address)).toMatchObject({ status: 2, code: 'STOCK_NOT_FOUND' })
    }
    expect(await refused('show', '0x1234')).toMatchObject({ status: 2, code: 'INVALID_INPUT' })
  })
})

describe('create', () => {
  test('creates a stock with all options at the address of its salt', async () => {
    const flags = [
      '--decimals',
      '6',
      '--cap',
      '5000.5',
      '--supply',
      '10.25',
      '--isin',
      'ZZ0000ACMED4',
      '--salt',
      'acme',
    ]
    const planned = await done('create', 'ACMEd', 'Acme Demo Stock', ...flags, '--dry-run')
    expect(planned.transaction).toBeNull()
    expect(await refused('show', planned.after.address)).toMatchObject({ code: 'STOCK_NOT_FOUND' })
    const made = await done('create', 'ACMEd', 'Acme Demo Stock', ...flags)
    expect(made.after).toEqual({
      address: planned.after.address,
      symbol: 'ACMEd',
      name: 'Acme Demo Stock',
      decimals: 6,
      totalSupply: '10.25',
      supplyCap: '5000.5',
      multiplier: '1',
      scheduledMultiplier: null,
      pausedFeatures: [],
      isin: 'ZZ0000ACMED4',
    })
    expect(made.before).toBeNull()
    expect(made.events[0]).toMatchObject({ name: 'B20Created', arguments: { symbol: 'ACMEd', decimals: '6' } })
    const again = await refused('create', 'ACMEd', 'Acme Demo Stock', ...flags)
    expect(again).toMatchObject({ status: 1, code: 'REFUSED', error: 'TokenAlreadyExists' })
  })

  test('grants only the chosen roles to the sender, and the admin role to another account', async () => {
    const address = await created('--roles', 'mint', '--admin', STRANGER!.address)
    await done('mint', '1', address)
    expect(await refused('burn', '1', address)).toMatchObject({ error: 'AccessControlUnauthorizedAccount' })
    const { events } = await done('create', 'ROLESd', 'Roles', '--roles', 'none', '--admin', STRANGER!.address)
    const grants = events.filter(({ name }: { name: string }) => name === 'RoleGranted')
    expect(grants).toHaveLength(1)
    expect(grants[0].arguments).toMatchObject({ role: `0x${'00'.repeat(32)}`, account: STRANGER!.address })
  })

  test.each([
    [['--isin', 'ZZ0000ACMED5'], 'check digit'],
    [['--supply', '2', '--cap', '1'], 'above --cap 1'],
    [['--cap', '0.0000001', '--decimals', '6'], 'at most 6 can be kept'],
    [['--roles', 'owner'], 'there is no role owner'],
    [['--admin', 'me'], '--admin wants an address'],
  ])('%j is refused before anything is asked', async (flags, message) => {
    const error = await refused('create', 'BADd', 'Bad', ...flags)
    expect(error).toMatchObject({ status: 2, code: 'INVALID_INPUT' })
    expect(error.message).toContain(message)
  })
})

describe('mint and burn', () => {
  test('mint reports the amount, the flashblock, and the supply before and after', async () => {
    const { totalSupply } = await shown('MRDTLd')
    const { status, output } = await stock('mint', '1000.5', 'MRDTLd', '--to', STRANGER!.address)
    expect(status).toBe(0)
    const after = (BigInt(Math.round(Number(totalSupply) * 1000)) + 1_000_500n).toString()
    expect(output).toContain(`Minted 1000.5 MRDTLd to ${STRANGER!.address}\n`)
    expect(output).toContain(`supply       ${totalSupply} -> ${after.slice(0, -3)}.${after.slice(-3)}\n`)
    expect(output).toMatch(/included in {2}block \d+(, flashblock \d+, pre-confirmed)? after \d+ ms\n/)
    expect(output).toContain(`Transfer(from 0x${'00'.repeat(20)}, to ${STRANGER!.address}, amount 1000.5)`)
  })

  test('the report matches the receipt of the transaction', async () => {
    const address = await created('--supply', '5')
    const { transaction, gasUsed, before, after } = await done('burn', '1.25', address)
    const receipt = (await client.result('eth_getTransactionReceipt', transaction.hash)) as Record<string, string>
    expect(receipt).toMatchObject({ status: '0x1', from: OWNER!.address, to: address })
    expect([Number(receipt.blockNumber), Number(receipt.gasUsed)]).toEqual([transaction.blockNumber, gasUsed])
    expect([before.totalSupply, after.totalSupply]).toEqual(['5', '3.75'])
  })

  test('a private key signs like a development account, and needs the role', async () => {
    const address = await created('--roles', 'mint')
    const key = bytesToHex(STRANGER!.privateKey)
    const error = await refused('mint', '1', address, '--private-key', key)
    expect(error).toMatchObject({ status: 1, code: 'REFUSED', error: 'AccessControlUnauthorizedAccount' })
    expect(error.message).toContain(`account ${STRANGER!.address} lacks MINT_ROLE of TESTd: ask an admin`)
    expect(error.message).not.toContain(key)
    expect((await done('mint', '1', address, '--private-key', bytesToHex(OWNER!.privateKey))).sender).toBe(
      OWNER!.address,
    )
  })

  test('the advised command lets another account mint until the role is revoked', async () => {
    const address = await created()
    const mint = ['mint', '1', address, '--account', '1']
    const { message } = await refused(...mint)
    const [, advice] = /`tickertape stock (grant-role [^`]+)`/.exec(message)!
    await done(...advice!.replace('TESTd', address).split(' '))
    expect((await done(...mint)).after.totalSupply).toBe('1')
    await done('revoke-role', 'mint', address, '--holder', STRANGER!.address)
    expect(await refused(...mint)).toMatchObject({ error: 'AccessControlUnauthorizedAccount' })
    const admin = await refused('grant-role', 'mint', address, '--account', '1')
    expect(admin.message).toContain('lacks DEFAULT_ADMIN_ROLE of TESTd: ask an admin of the stock to do it')
    expect(await refused('grant-role', 'mint,burn', address)).toMatchObject({ code: 'INVALID_INPUT' })
  })

  test('an amount above the cap is rejected in units of the token', async () => {
    const address = await created('--decimals', '6', '--cap', '10', '--supply', '9')
    const error = await refused('mint', '1.5', address)
    expect(error).toMatchObject({ status: 1, error: 'SupplyCapExceeded', arguments: { cap: '10000000' } })
    expect(error.message).toContain('the supply would be 10.5 TESTd, above the cap of 10 TESTd')
  })

  test("burning more than the sender's balance is rejected", async () => {
    const address = await created('--supply', '1')
    const { message } = await refused('burn', '2', address)
    expect(message).toContain(`${OWNER!.address} has 1 TESTd where 2 TESTd is needed`)
  })

  test.each([
    ['0', 'the amount is 0'],
    ['1.0000001', 'at most 6 can be kept'],
    ['-1', 'without sign'],
    ['1,000', 'a decimal number such as 1000.5'],
  ])('an amount of %s is refused and nothing is sent', async (amount, message) => {
    const nonce = await client.result('eth_getTransactionCount', OWNER!.address, 'pending')
    const { status, errors } = await stock('mint', amount, MRDTLD)
    expect(status).toBe(2)
    expect(errors).toContain(message)
    expect(await client.result('eth_getTransactionCount', OWNER!.address, 'pending')).toBe(nonce)
  })
})

describe('--dry-run', () => {
  test.each([
    ['mint', '5'],
    ['burn', '1'],
    ['split', '2:1'],
    ['schedule-split', '3:1', '--in', '1h'],
    ['pause', 'mint'],
    ['announce', 'dry'],
  ])('of %s shows what would happen and changes nothing', async (name, what, ...flags) => {
    const address = await created('--supply', '5')
    const nonce = await client.result('eth_getTransactionCount', OWNER!.address, 'pending')
    const before = await shown(address)
    const { status, output } = await stock(name, what, address, ...flags, '--dry-run')
    expect(status).toBe(0)
    expect(output).toMatch(/^Would .*\. Nothing was sent\.\n/)
    const planned = await done(name, what, address, ...flags, '--dry-run')
    expect(planned).toMatchObject({ dryRun: true, transaction: null, before })
    expect(planned.events.length).toBeGreaterThan(0)
    expect(await shown(address)).toEqual(before)
    expect(await client.result('eth_getTransactionCount', OWNER!.address, 'pending')).toBe(nonce)
    // The transaction has the predicted effect.
    const real = await done(name, what, address, ...flags)
    if (name !== 'schedule-split') expect(real.after).toEqual(planned.after)
    expect(real.events.map((event: { name: string }) => event.name)).toEqual(
      planned.events.map((event: { name: string }) => event.name),
    )
  })

  test('fails like the transaction itself', async () => {
    const deeds = [
      ['mint', '1', 'OSTGLd'],
      ['mint', '1', 'MRDTLd', '--account', '1'],
    ]
    for (const deed of deeds) expect(await refused(...deed, '--dry-run')).toEqual(await refused(...deed))
  })
})

describe('pause', () => {
  test('disables paused features, and the error names the command to unpause', async () => {
    const address = await created('--supply', '5')
    expect((await done('pause', 'mint,burn', address)).after.pausedFeatures).toEqual(['mint', 'burn'])
    const error = await refused('burn', '1', address)
    expect(error).toMatchObject({ status: 1, error: 'ContractPaused' })
    expect(error.message).toContain('`tickertape stock unpause burn TESTd` allows it again')
    expect((await done('unpause', 'burn', address)).after.pausedFeatures).toEqual(['mint'])
    expect((await done('burn', '1', address)).after.totalSupply).toBe('4')
    expect((await done('pause', 'all', address)).after.pausedFeatures).toEqual(['transfer', 'mint', 'burn', 'seize'])
  })

  test('rejects an unknown feature', async () => {
    expect(await refused('pause', 'moving', 'MRDTLd')).toMatchObject({ status: 2, code: 'INVALID_INPUT' })
  })
})

describe('splits', () => {
  test('multiply exactly, forwards and backwards, and keep the supply', async () => {
    const address = await created('--supply', '5')
    expect((await done('split', '2:1', address)).after).toMatchObject({ multiplier: '2', totalSupply: '5' })
    expect((await done('split', '1:4', address)).after.multiplier).toBe('0.5')
    const { message } = await refused('split', '1:3', address)
    expect(message).toContain('--round takes 0.166666666666666666')
    expect((await done('split', '1:3', address, '--round')).after.multiplier).toBe('0.166666666666666666')
  })

  test('a second schedule is rejected, an immediate split needs --replace-scheduled, and the schedule can be cancelled', async () => {
    const address = await created()
    const scheduled = { multiplier: '3', effectiveAt: '2036-12-01T00:00:00Z' }
    const { after } = await done('schedule-split', '3:1', address, '--at', scheduled.effectiveAt)
    expect(after).toMatchObject({ multiplier: '1', scheduledMultiplier: scheduled })
    const second = await refused('schedule-split', '2:1', address, '--in', '1h')
    expect(second).toMatchObject({ status: 1, error: 'UIMultiplierUpdateExists' })
    expect(second.message).toContain('`tickertape stock cancel-split TESTd` takes it back')
    expect(await refused('split', '2:1', address)).toMatchObject({ status: 2, code: 'INVALID_INPUT' })
    expect((await done('cancel-split', address)).after.scheduledMultiplier).toBeNull()
    expect(await refused('cancel-split', address)).toMatchObject({ error: 'UIMultiplierUpdateDoesNotExist' })
    await done('schedule-split', '3:1', address, '--in', '1h')
    const both = await done('split', '2:1', address, '--replace-scheduled')
    expect(both.after).toMatchObject({ multiplier: '2', scheduledMultiplier: null })
  })
})

describe('announcements', () => {
  test('enclose the announced change', async () => {
    const address = await created()
    const flags = ['--announce', '2026-split', '--description', 'two for one', '--uri', 'https://issuer.example/split']
    const { events, after } = await done('split', '2:1', address, ...flags)
    expect(after.multiplier).toBe('2')
    expect(events.map(({ name }: { name: string }) => name)).toEqual([
      'Announcement',
      'MultiplierUpdated',
      'UIMultiplierUpdated',
      'EndAnnouncement',
    ])
    expect(events[0].arguments).toMatchObject({
      id: '2026-split',
      description: 'two for one',
      uri: 'https://issuer.example/split',
    })
    const again = await refused('mint', '1', address, '--announce', '2026-split')
    expect(again).toMatchObject({ error: 'AnnouncementIdAlreadyUsed', arguments: { id: '2026-split' } })
  })

  test('report the inner reason when the announced call reverts', async () => {
    const address = await created('--cap', '10')
    const error = await refused('mint', '11', address, '--announce', 'too-much')
    expect(error).toMatchObject({ status: 1, error: 'SupplyCapExceeded' })
    expect(error.message).toContain('above the cap of 10 TESTd')
    expect(await refused('mint', '11', address, '--announce', 'too-much', '--dry-run')).toEqual(error)
  })

  test('can be made alone, or with given calls', async () => {
    const address = await created('--supply', '5')
    expect((await done('announce', 'news', address)).events).toHaveLength(2)
    // burn(1 unit), encoded by hand.
    const burn = `0x42966c68${(10n ** 18n).toString(16).padStart(64, '0')}`
    const { before, after } = await done('announce', 'redemption', address, '--call', burn)
    expect([before.totalSupply, after.totalSupply]).toEqual(['5', '4'])
    expect(await refused('announce', 'x', address, '--call', '0x12')).toMatchObject({ code: 'INVALID_INPUT' })
  })
})

describe('usage', () => {
  test.each([
    [['mint', '1'], "missing required argument 'stock'"],
    [['mint', '1', 'MRDTLd', 'more'], 'too many arguments'],
    [['mint', '1', 'MRDTLd', '--account', '10'], 'a whole number from 0 to 9'],
    [['list', '--rpc-url', 'localhost:8545'], 'begins with http:// or https://'],
    [['sell', '1', 'MRDTLd'], "unknown command 'sell'"],
    [['mint', '1', 'MRDTLd', '--request-timeout-ms', '0'], 'a whole number from 1'],
    [['mint', '1', 'MRDTLd', '--private-key', '0x12'], '--private-key wants 32 bytes'],
    [['schedule-split', '2:1', 'MRDTLd'], 'say when'],
    [['create', '', 'Test Stock'], 'the symbol is empty'],
    [['create', 'TESTd', ' '], 'the name is empty'],
  ])('%j: exit code 2', async (args, message) => {
    const { status, output, errors } = await stock(...args)
    expect({ status, output }).toEqual({ status: 2, output: '' })
    expect(errors).toContain(message)
  })

  test('no command is wrong usage, and lists the commands', async () => {
    const { status, output, errors } = await runStock()
    expect(status).toBe(2)
    expect(`${output}${errors}`).toContain('schedule-split')
  })

  test('help shows flags, examples and exit codes', async () => {
    const all: ProgramResult = await runStock('--help')
    expect(all.status).toBe(0)
    for (const name of ['create', 'mint', 'burn', 'split', 'schedule-split', 'pause', 'announce', 'list', 'show']) {
      expect(all.output).toMatch(new RegExp(`^ {2}${name} `, 'm'))
    }
    const { status, output } = await runStock('mint', '--help')
    expect(status).toBe(0)
    for (const text of ['--dry-run', '--private-key <key>', '$ tickertape stock mint 1000.5 MRDTLd', 'Exit codes:']) {
      expect(output).toContain(text)
    }
  })
})
