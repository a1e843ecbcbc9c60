import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { jsonRpcClient } from '../support/json-rpc-client.ts'
import { type RunningNode, startNode } from '../support/running-node.ts'
import { type StockCommands, stockCommands } from '../support/stock-cli.ts'

const OWNER = String(DEVELOPMENT_ACCOUNTS[0]!.address)
const STRANGER = String(DEVELOPMENT_ACCOUNTS[1]!.address)

let node: RunningNode
let stock: StockCommands
beforeAll(async () => {
  node = await startNode({ flashblockInterval: 50, blockTime: 1_000 })
  stock = stockCommands(node.urls.rpc)
})
afterAll(() => node.close())

const created = async (...flags: readonly string[]): Promise<string> =>
  (await stock.done('create', 'TESTd', 'Test Stock', ...flags)).after.address

/** Waits until the block of a transaction is sealed, so that it is in `latest`. */
async function sealed(transaction: { readonly blockNumber: number }): Promise<void> {
  const client = jsonRpcClient(node.urls.rpc)
  while (Number(await client.result('eth_blockNumber')) < transaction.blockNumber) await new Promise(setImmediate)
}

/** Does something again and again: a command that follows events may begin at any time. */
async function repeatUntil(end: Promise<unknown>, act: () => Promise<unknown>): Promise<void> {
  let hasEnded = false
  const ended = end.finally(() => {
    hasEnded = true
  })
  while (!hasEnded) await act()
  await ended
}

describe('history', () => {
  test('has the values of earlier blocks, and the corporate actions', async () => {
    const address = await created('--supply', '5')
    const { transaction } = await stock.done('mint', '2', address)
    const split = await stock.done('split', '2:1', address, '--announce', 'two-for-one')
    await stock.done('pause', 'mint', address)
    await sealed(split.transaction)
    const from = String(transaction.blockNumber)

    const supply = await stock.done('history', address, '--from', from, '--to', from)
    expect(supply).toMatchObject({ field: 'supply', isComplete: true })
    expect(supply.entries).toMatchObject([{ block_number: transaction.blockNumber, value_exact: '7' }])
    const { entries } = await stock.done('history', address, '--field', 'actions', '--block', 'pending')
    expect(entries.map(({ kind }: { kind: string }) => kind)).toEqual([
      'announced',
      'multiplier',
      'announcement_ended',
      'paused',
    ])
    const { output } = await stock.run('history', address, '--field', 'actions', '--block', 'pending')
    expect(output).toMatch(/^Corporate actions of TESTd\n\n.*Z {2}announced "two-for-one" \(block \d+\)\n/)
    expect(output).toMatch(/Z {2}multiplier 2, effective \(block \d+\)\n/)
    expect(output).toMatch(/Z {2}paused mint \(block \d+\)\n/)
  })

  test('lists at most --limit values over several pages, and says that there are more', async () => {
    // Blocks 0 to 2 are more than the limit.
    await sealed({ blockNumber: 2 })
    const { entries, isComplete } = await stock.done('history', 'MRDTLd', '--every', '1', '--limit', '2')
    expect([entries.length, isComplete]).toEqual([2, false])
    const { output } = await stock.run('history', 'MRDTLd', '--every', '1', '--limit', '2', '--field', 'multiplier')
    expect(output).toMatch(/^multiplier of MRDTLd\n\nBLOCK {2}TIME {18}MULTIPLIER\n/)
    expect(output).toContain('There are more than these 2: raise --limit.')
    const { output: samples } = await stock.run('history', 'MRDTLd', '--every', '1h')
    expect(samples).toMatch(
      /^supply of MRDTLd\n\nSAMPLED AT +BLOCK {2}BLOCK TIME +SUPPLY\n20\S+Z +0 {2}2025-01-01T00:00:00Z /,
    )
  })

  test('passes refusals of the service on', async () => {
    const reversed = await stock.refused('history', 'MRDTLd', '--from', '1', '--to', '0')
    expect(reversed).toMatchObject({ status: 2, code: 'INVALID_INPUT' })
    const mixed = await stock.refused('history', 'MRDTLd', '--field', 'actions', '--every', '1')
    expect(mixed).toMatchObject({ status: 2, code: 'INVALID_INPUT' })
    const unreachable = await stock.refused('history', 'MRDTLd', '--rest-url', 'http://127.0.0.1:9')
    expect(unreachable).toMatchObject({ status: 3, code: 'NODE_UNREACHABLE' })
    expect(unreachable.message).toContain('--rest-url')
  })
})

describe('holders', () => {
  test('lists balances and shares', async () => {
    const address = await created('--supply', '4')
    const { transaction } = await stock.done('transfer', '1', address, '--to', STRANGER)
    await sealed(transaction)

    const { entries, isComplete } = await stock.done('holders', address)
    expect(isComplete).toBe(true)
    expect(entries).toMatchObject([
      { address: STRANGER, balance_exact: '1', share_of_supply: 0.25 },
      { address: OWNER, balance_exact: '3', share_of_supply: 0.75 },
    ])
    const { output } = await stock.run('holders', address)
    expect(output).toContain(`${STRANGER}        1  25.0000 %\n`)
  })
})

describe('wait', () => {
  test('ends when all conditions hold', async () => {
    const address = await created('--supply', '5')
    const waiting = stock.done('wait', address, '--supply', '>=7', '--paused', 'mint', '--multiplier', '2')
    await stock.done('mint', '2', address)
    await stock.done('split', '2:1', address)
    await stock.done('pause', 'mint', address)

    expect((await waiting).stock).toMatchObject({ totalSupply: '7', multiplier: '2', pausedFeatures: ['mint'] })
    expect((await stock.done('wait', address, '--unpaused', 'burn', '--supply', '<=7')).stock.totalSupply).toBe('7')
  })

  test('ends with the event', async () => {
    const address = await created('--supply', '5')
    const waiting = stock.done('wait', address, '--event', 'burn')
    await repeatUntil(waiting, () => stock.done('burn', '0.001', address))

    expect(Number((await waiting).stock.totalSupply)).toBeLessThan(5)
  })

  test('ends with exit code 5 when the time is over, and says what is missing', async () => {
    const address = await created('--supply', '5')
    const state = await stock.refused('wait', address, '--supply', '6', '--timeout-ms', '50')
    expect(state).toMatchObject({ status: 5, code: 'TIMED_OUT' })
    expect(state.message).toContain('TESTd does not have a supply of 6 (it is 5) within 0.05 s')
    const event = await stock.refused('wait', address, '--event', 'burn', '--timeout-ms', '50')
    expect(event).toMatchObject({ status: 5, code: 'TIMED_OUT' })
  })

  test('waits until a new stock is sealed', async () => {
    const address = await created('--supply', '5')
    const waiting = await stock.done('wait', address, '--supply', '5', '--block', 'latest')
    expect(waiting.stock.totalSupply).toBe('5')
  })

  test('refuses to wait for nothing, and for what no stock can have', async () => {
    for (const flags of [[], ['--supply', '1e3'], ['--event', 'dividend'], ['--paused', 'moving']]) {
      expect(await stock.refused('wait', 'MRDTLd', ...flags)).toMatchObject({ status: 2, code: 'INVALID_INPUT' })
    }
  })
})

describe('show --watch', () => {
  test('prints the stock, then its changes as they happen', async () => {
    const address = await created('--supply', '5')
    const watching = stock.run('show', address, '--watch', '--changes', '4')
    const json = stock.run('show', address, '--watch', '--changes', '2', '--json')
    await repeatUntil(Promise.all([watching, json]), () => stock.done('burn', '0.001', address))
    const { status, output } = await watching

    expect(status).toBe(0)
    const [title, ...lines] = output.trimEnd().split('\n')
    expect(title).toBe('TESTd')
    expect(lines.slice(-4).every((line) => /^block \d+\.\d+ {2}supply [\d.]+ \(-?[\d.]+\)$/.test(line))).toBe(true)
    const [first, ...changes] = (await json).output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(first.stock.symbol).toBe('TESTd')
    expect(changes).toHaveLength(2)
    expect(changes[0]).toMatchObject({ kind: 'supply', contract_address: address, removed: false })
  })

  test('connects again when the events end, and ends with exit code 3 when its position is lost', async () => {
    const address = await created('--supply', '5')
    const client = jsonRpcClient(node.urls.rpc)
    const watching = stock.run('show', address, '--watch')
    let value = 0
    await repeatUntil(watching, async () => {
      // The stream ends where no event tells what changed, and its position is not kept.
      value += 1
      const word = `0x${value.toString(16).padStart(64, '0')}`
      await client.result('anvil_setStorageAt', address, `0x${'11'.repeat(32)}`, word)
      for (let count = 0; count < 5; count++) await stock.done('burn', '0.001', address)
    })
    const { status, errors } = await watching

    expect(status).toBe(3)
    expect(errors).toContain('the events after this id are not kept')
  })
})
