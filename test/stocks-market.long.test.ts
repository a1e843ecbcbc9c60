import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  DEMO_STOCK_OWNER,
  DEMO_STOCKS,
  ORACLE_REGISTRY_ADDRESS,
  STOCK_MARKET_ADDRESS,
} from '../src/chain/predeploys/demo-stocks.ts'
import { jsonRpcClient } from './support/json-rpc-client.ts'
import { hasNatsServer, startNatsServer } from './support/nats.ts'
import { type NodeProcess, spawnNode, until } from './support/node-processes.ts'

const CLOCK = new URL('./support/moved-clock.mjs', import.meta.url)
/** As `MarketSession` in contracts/stock/StockMarket.sol. */
const [REGULAR, POST_MARKET] = [2, 3]
const VIREO = DEMO_STOCKS.find(({ symbol }) => symbol === 'VIREOd')!
/**
 * Blocks in a row without a call of the market: a new leader waits for two and decides after the third, and prices that
 * turn move too little for three.
 */
const MAX_IDLE_BLOCKS = 8

interface Candidates {
  start(name: string): Promise<NodeProcess>
  /** Kills the leader, and resolves when the other candidate leads. */
  replace(leader: NodeProcess, next: NodeProcess): Promise<void>
}

/** Candidates of one chain with a market, whose clocks show `time` now. */
async function candidatesAt(time: string): Promise<Candidates> {
  const preload = new URL(`?offsetMs=${Date.parse(time) - Date.now()}`, CLOCK).href
  const directory = await mkdtemp(join(tmpdir(), 'stocks-market-'))
  const nats = await startNatsServer()
  const nodes: NodeProcess[] = []
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    await nats.close()
    await rm(directory, { recursive: true, force: true })
  })
  return {
    async start(name) {
      const place = ['--datadir', join(directory, name), '--nats', nats.url, '--allow-old-nats', '--node-name', name]
      // The clock of the NATS server is not moved.
      const clock = ['--max-clock-jump-ms', '1000000000000']
      const flags = [
        '--failover',
        '--block-time',
        '1000',
        '--stocks-market',
        'stress',
        '--log-level',
        'error',
        ...clock,
      ]
      const node = await spawnNode([...place, ...flags], preload)
      nodes.push(node)
      return node
    },
    async replace(leader, next) {
      leader.child.kill('SIGKILL')
      await leader.exited
      await until(async () => (await roleOf(next)) === 'leader')
    },
  }
}

async function roleOf({ rpc }: NodeProcess): Promise<string> {
  const { failover } = (await (await fetch(`${rpc}/ready`)).json()) as { readonly failover: { readonly role: string } }
  return failover.role
}

interface Log {
  readonly blockNumber: string
  readonly topics: readonly string[]
  readonly data: string
}

function logsOf({ rpc }: NodeProcess, address: string, toBlock = 'latest'): Promise<readonly Log[]> {
  return jsonRpcClient(rpc).result<readonly Log[]>('eth_getLogs', { address, fromBlock: '0x0', toBlock })
}

interface MarketBlock {
  readonly number: number
  /** Unix seconds. */
  readonly time: number
  /** Transactions of the owner of the stocks. */
  readonly calls: number
}

/** All sealed blocks, in which every transaction has succeeded. */
async function blocksOf({ rpc }: NodeProcess): Promise<readonly MarketBlock[]> {
  const client = jsonRpcClient(rpc)
  const newest = Number(await client.result<string>('eth_blockNumber'))
  const blocks: MarketBlock[] = []
  for (let number = 0; number <= newest; number++) {
    const quantity = `0x${number.toString(16)}`
    const { timestamp } = await client.result<{ readonly timestamp: string }>('eth_getBlockByNumber', quantity, false)
    const receipts = await client.result<readonly { from: string; status: string }[]>('eth_getBlockReceipts', quantity)
    for (const receipt of receipts) expect(receipt).toMatchObject({ from: DEMO_STOCK_OWNER, status: '0x1' })
    blocks.push({ number, time: Number(timestamp), calls: receipts.length })
  }
  return blocks
}

async function chainTime({ rpc }: NodeProcess): Promise<number> {
  const block = await jsonRpcClient(rpc).result<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  return Number(block.timestamp) * 1_000
}

/** The longest row of blocks without a call, from the first call on. */
function idleBlocks(blocks: readonly MarketBlock[]): number {
  const active = blocks.filter(({ calls }) => calls > 0).map(({ number }) => number)
  return Math.max(...active.map((number, index) => number - (active[index - 1] ?? number) - 1))
}

/** Transactions that a node was sent, as its metrics count them. */
async function sentTo({ rpc }: NodeProcess): Promise<number> {
  const page = await (await fetch(`${rpc}/metrics`)).text()
  const counted = page.matchAll(/^tickertape_rpc_requests_total\{.*method="eth_sendRawTransaction".*\} (\d+)$/gm)
  return [...counted].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Sessions in the order in which they began. */
async function sessionsOf(node: NodeProcess): Promise<readonly number[]> {
  return (await logsOf(node, STOCK_MARKET_ADDRESS)).map(({ topics }) => Number(topics[2]))
}

// biome-ignore lint/suspicious/noExplicitAny: the body is whatever the test expects.
async function actionsOf({ rpc }: NodeProcess, block = 'latest'): Promise<readonly any[]> {
  const response = await fetch(`${rpc}/v1/tokenized-stocks/${VIREO.symbol}/corporate-actions?from=1&block=${block}`)
  return ((await response.json()) as { readonly corporate_actions: readonly object[] }).corporate_actions
}

describe.skipIf(!hasNatsServer)('the market of candidates for leadership', () => {
  test('changes its session at the time of the exchange when the leader is killed just before', async () => {
    // Trading is halted from 20:59:00 to 20:59:30, and the exchange closes at 21:00.
    const { start, replace } = await candidatesAt('2027-01-06T20:59:32Z')
    const one = await start('one')
    await until(async () => (await sessionsOf(one)).at(-1) === REGULAR)
    const two = await start('two')
    await until(async () => (await chainTime(two)) >= Date.parse('2027-01-06T20:59:58Z'))
    const [sentToLeader, sentToStandby] = [await sentTo(one), await sentTo(two)]
    const before = await sessionsOf(one)

    await replace(one, two)
    await until(async () => (await sessionsOf(two)).length > before.length)

    expect([sentToLeader > 20, sentToStandby]).toEqual([true, 0])
    expect(await sessionsOf(two)).toEqual([...before, POST_MARKET])
    const blocks = await blocksOf(two)
    const closing = blocks.find(({ time }) => time * 1_000 >= Date.parse('2027-01-06T21:00:00Z'))!
    const changed = Number((await logsOf(two, STOCK_MARKET_ADDRESS)).at(-1)!.blockNumber)
    expect(changed).toBeGreaterThan(closing.number)
    expect(changed - closing.number).toBeLessThanOrEqual(MAX_IDLE_BLOCKS)
    expect(idleBlocks(blocks)).toBeLessThanOrEqual(MAX_IDLE_BLOCKS)
  })

  test('pays one dividend when leaders are killed after its announcement and while its feed is paused', async () => {
    // The dividend is announced from 15:01 to 15:02, and takes effect at 15:03.
    const { start, replace } = await candidatesAt('2027-01-06T15:01:20Z')
    const one = await start('one')
    const two = await start('two')
    await until(async () => (await actionsOf(one, 'pending')).length > 0)
    // Before, the market may still follow the time of block 0.
    await until(async () => (await sessionsOf(one)).at(-1) === REGULAR)
    const sessions = await sessionsOf(one)

    await replace(one, two)
    const again = await start('one')
    await until(async () => (await logsOf(two, ORACLE_REGISTRY_ADDRESS, 'pending')).length > 0)
    expect(await sentTo(again)).toBe(0)
    await replace(two, again)
    await until(async () => (await logsOf(again, ORACLE_REGISTRY_ADDRESS)).length > 1)

    expect(await actionsOf(again)).toMatchObject([
      { kind: 'announced' },
      { kind: 'multiplier', status: 'effective', effective_at: '2027-01-06T15:03:00Z', multiplier_exact: '1.028517' },
      { kind: 'announcement_ended' },
    ])
    const pauses = (await logsOf(again, ORACLE_REGISTRY_ADDRESS)).map(({ data }) => BigInt(data))
    expect(pauses).toEqual([1n, 0n])
    expect(await sessionsOf(again)).toEqual(sessions)
    expect(idleBlocks(await blocksOf(again))).toBeLessThanOrEqual(MAX_IDLE_BLOCKS)
  })
})
