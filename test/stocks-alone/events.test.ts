import { pino } from 'pino'
import { encodeFunctionData, parseAbi } from 'viem'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { DEMO_STOCKS } from '../../src/chain/predeploys/demo-stocks.ts'
import { STOCK_FACTORY_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import { type StocksServer, serveStocks } from '../../src/cli/standalone/stocks-server.ts'
import { fallbacksOf } from '../../src/flags/flag.ts'
import { STOCKS_FLAG_GROUPS, type StocksOptions } from '../../src/flags/stocks-flags.ts'
import { FLASHBLOCKS } from '../../src/node/development/mining-mode.ts'
import { hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import { EventReader } from '../support/event-reader.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { searchingService } from '../support/searching-service.ts'
import { assetParams, encodeCall, idOf } from '../support/stock-chain.ts'
import { startUnreliableUpstream } from '../support/unreliable-upstream.ts'

const [HLCYN, MRDTL] = DEMO_STOCKS
const OWNER = DEVELOPMENT_ACCOUNTS[0]!.address as `0x${string}`
const STOCK = parseAbi([
  'function mint(address, uint256)',
  'function pause(uint8[])',
  'function updateMultiplier(uint256)',
  'function updateUIMultiplier(uint256, uint256)',
  'function announce(bytes[], string, string, string)',
])
const FEED = parseAbi(['function updateAnswer(int256)'])
const ONE = 10n ** 18n
const WIDE = { code: -32_602, message: 'query exceeds max block range' }
const MANY = { code: -32_005, message: 'query returned more than 10000 results' }
const EVENTS = '/v1/tokenized-stocks/events'
const DEFAULTS = Object.assign({}, ...STOCKS_FLAG_GROUPS.map(({ flags }) => fallbacksOf(flags))) as StocksOptions

// biome-ignore lint/suspicious/noExplicitAny: the data of an event.
type Change = any

let upstream: ManualServer
let clock: ManualClock
let service: StocksServer
let nonce = 0n

beforeEach(async () => {
  nonce = 0n
  upstream = await startManualServer({}, { development: { mining: FLASHBLOCKS } })
  await upstream.nextBlock()
  await startService()
})
afterEach(async () => {
  await service.close()
  await upstream.stop()
})

async function startService(options: Partial<StocksOptions> = {}, log = pino({ level: 'silent' })): Promise<void> {
  clock = new ManualClock({ wall: 0 })
  service = await serveStocks(
    {
      ...DEFAULTS,
      port: 0,
      rpcUrl: upstream.url,
      factory: STOCK_FACTORY_ADDRESS,
      maxStalenessSeconds: 0,
      headLifetimeMs: 0,
      // The clock of the service runs faster than its requests.
      upstreamTimeoutMs: 600_000,
      deadlineMs: 600_000,
      ...options,
    },
    { log, clock },
  )
}

async function restartService(): Promise<void> {
  await service.close()
  await startService()
}

async function subscribe(lastEventId = '', url = service.url): Promise<EventReader> {
  const reader = await EventReader.open(`${url}${EVENTS}`, lastEventId)
  onTestFinished(() => reader.close())
  return reader
}

/** The service looks at its upstream whenever its clock has advanced by half a second. */
async function look(): Promise<void> {
  clock.moveTo(clock.monotonic() + 500)
  await new Promise(setImmediate)
}

async function lookUntil(reader: EventReader, holds: (changes: readonly Change[]) => boolean): Promise<void> {
  while (!holds(reader.changes)) {
    if (reader.hasEnded) throw new Error('the events have ended')
    await look()
  }
}

async function sendTo(to: string, data: string, gasLimit = 500_000n): Promise<void> {
  await upstream.send({ nonce, to: toAddress(to), value: 0n, data: hexToBytes(data), gasLimit })
  nonce += 1n
}

async function mint(units: bigint): Promise<void> {
  await sendTo(HLCYN!.address, encodeFunctionData({ abi: STOCK, functionName: 'mint', args: [OWNER, units * ONE] }))
}

/** Mints in a block of its own. */
async function mintBlock(units: bigint): Promise<void> {
  await mint(units)
  await upstream.nextBlock()
}

async function setHead(number: number): Promise<void> {
  await upstream.result('debug_setHead', `0x${number.toString(16)}`)
  nonce = BigInt(await upstream.result<string>('eth_getTransactionCount', OWNER, 'pending'))
}

/** What a change says, wherever it was read. */
function contentOf({ id: _, removed: __, flashblock: ___, ...content }: Change): object {
  return content
}

/** Resuming at each event gives exactly the later ones. */
async function expectEachSuffix(whole: EventReader): Promise<void> {
  const { events } = whole
  for (const [index, { id }] of events.entries()) {
    const rest = events.slice(index + 1).map(({ data }) => data)
    const resumed = await subscribe(id)
    await resumed.until(() => resumed.changes.length >= rest.length)
    expect(resumed.changes).toEqual(rest)
    resumed.close()
  }
}

describe('events of the stand-alone service', () => {
  test('say that they are of sealed blocks, and tell a mint when its block is sealed', async () => {
    const reader = await subscribe()
    await mint(25n)
    await upstream.nextFlashblock()
    for (let count = 0; count < 3; count++) await look()
    await reader.until(() => reader.events.length === 1)
    expect(reader.changes).toEqual([])
    await upstream.nextBlock()
    await lookUntil(reader, (changes) => changes.length === 1)

    const { hash } = await upstream.result<{ hash: string }>('eth_getBlockByNumber', '0x2', false)
    expect(reader.events[0]).toMatchObject({ name: 'ready', data: { changes: 'sealed', block_number: 1 } })
    expect(reader.changes[0]).toMatchObject({
      id: `2-${hash.slice(2, 10)}-2.0`,
      kind: 'supply',
      contract_address: HLCYN!.address,
      block_number: 2,
      flashblock: 0,
      total_supply_exact: '1000025',
      difference_exact: '25',
    })
  })

  test('tell the same changes as the node itself, of all kinds, also of a stock created in the block', async () => {
    const inside = await subscribe('', upstream.url)
    const reader = await subscribe()
    const { address, priceFeed } = MRDTL!
    const at = BigInt(Math.floor(upstream.clock.wall() / 1_000)) + 10n
    const mintCall = encodeCall('mint', [OWNER, 5n])
    const creation = [0, idOf('events'), assetParams({ symbol: 'EVTd' }), [mintCall]]
    await sendTo(STOCK_FACTORY_ADDRESS, encodeCall('createB20', creation), 2_000_000n)
    await sendTo(address, encodeFunctionData({ abi: STOCK, functionName: 'pause', args: [[2, 0]] }))
    await sendTo(
      priceFeed.address,
      encodeFunctionData({ abi: FEED, functionName: 'updateAnswer', args: [5_000_000_000n] }),
    )
    await sendTo(address, encodeFunctionData({ abi: STOCK, functionName: 'updateMultiplier', args: [2n * ONE] }))
    await sendTo(address, encodeFunctionData({ abi: STOCK, functionName: 'updateUIMultiplier', args: [4n * ONE, at] }))
    await sendTo(address, encodeFunctionData({ abi: STOCK, functionName: 'announce', args: [[], 'a', 'Split', ''] }))
    for (let count = 0; count < 8; count++) await upstream.nextBlock()
    await inside.until(({ changes }) => changes.length === 8)
    await lookUntil(reader, (changes) => changes.length >= 8)

    expect(reader.changes.map(contentOf)).toEqual(inside.changes.map(contentOf))
    expect(new Set(reader.changes.map(({ kind }) => kind)).size).toBe(5)
    await expectEachSuffix(reader)
  })

  test('are sent again as removed, newest first, when the upstream unwinds 20 blocks, and each position can be resumed', async () => {
    const reader = await subscribe()
    await mintBlock(1n)
    for (let count = 0; count < 20; count++) {
      if (count % 7 === 0) await mint(10n)
      await upstream.nextBlock()
    }
    await lookUntil(reader, (changes) => changes.length === 4)
    const [, ...later] = reader.changes
    await setHead(2)
    await mintBlock(7n)
    await lookUntil(reader, (changes) => changes.length === 8)

    const removed = reader.changes.slice(4, 7)
    expect(removed.map(contentOf)).toEqual(later.toReversed().map(contentOf))
    expect(removed.every((change) => change.removed)).toBe(true)
    expect(reader.changes[7]).toMatchObject({ removed: false, difference_exact: '7', total_supply: 1_000_008 })
    expect(new Set(reader.changes.map(({ id }) => id)).size).toBe(8)
    await expectEachSuffix(reader)
  })

  test('are removed when the upstream stays at an earlier block', async () => {
    const reader = await subscribe()
    await mintBlock(1n)
    await mintBlock(2n)
    await lookUntil(reader, (changes) => changes.length === 2)
    await setHead(2)
    await lookUntil(reader, (changes) => changes.length === 3)

    expect(reader.changes[2]).toMatchObject({ removed: true, difference_exact: '2', block_number: 3 })
    await expectEachSuffix(reader)
  })

  test('are not removed while one of several upstream nodes lags, however many subscribers connect', async () => {
    const lagging = await startManualServer({}, { development: { mining: FLASHBLOCKS } })
    onTestFinished(() => lagging.stop())
    await lagging.nextBlock()
    const balancer = await startUnreliableUpstream(upstream.url, lagging.url)
    onTestFinished(() => balancer.close())
    await service.close()
    await startService({ rpcUrl: balancer.url, maxEventSubscribersPerAddress: 100 })
    const reader = await subscribe()
    await mintBlock(1n)
    await lookUntil(reader, (changes) => changes.length === 1)
    // At most four seconds of a lag, with a look for the time and one for each subscriber.
    balancer.faults = Array(20).fill('otherNode')
    while (balancer.faults.length > 0) {
      clock.moveTo(clock.monotonic() + 200)
      // It is answered when the look has ended.
      const another = await subscribe()
      another.close()
    }
    await mintBlock(2n)
    await lookUntil(reader, (changes) => changes.length === 2)

    expect(reader.changes.map(({ removed }) => removed)).toEqual([false, false])
  })

  test('continue after a restart of the service, with equal ids', async () => {
    const reader = await subscribe()
    for (const units of [1n, 2n, 3n]) await mintBlock(units)
    await lookUntil(reader, (changes) => changes.length === 3)
    const { events } = reader
    reader.close()
    await restartService()
    await expectEachSuffix(reader)
    await setHead(2)
    await mintBlock(9n)
    await restartService()
    const resumed = await subscribe(events[1]!.id)
    await lookUntil(resumed, (changes) => changes.length === 1)
    expect(resumed.changes[0]).toMatchObject({ removed: false, difference_exact: '9', total_supply: 1_000_010 })
  })

  test('answer 410 to an id of a block that was unwound before a restart, and advise to begin with the list', async () => {
    const reader = await subscribe()
    await mintBlock(1n)
    await lookUntil(reader, (changes) => changes.length === 1)
    reader.close()
    await setHead(1)
    await mintBlock(2n)
    await restartService()

    for (const id of [reader.lastEventId, '999999-00000000', '1-00000000']) {
      const response = await fetch(`${service.url}${EVENTS}`, { headers: { 'last-event-id': id } })
      expect(response.status).toBe(410)
      expect(await response.json()).toMatchObject({
        code: 11,
        message: expect.stringContaining('/v1/tokenized-stocks'),
      })
    }
    expect((await subscribe()).status).toBe(200)
  })

  test('continue after requests to the upstream that failed', async () => {
    const unreliable = await startUnreliableUpstream(upstream.url)
    onTestFinished(() => unreliable.close())
    await service.close()
    await startService({ rpcUrl: unreliable.url, retries: 0 })
    const reader = await subscribe()
    await mintBlock(1n)
    unreliable.faults = ['reset', 'notJson', 'status500', 'wrongChain', 'oneMissing', 'headerNotFound', 'otherNode']
    await lookUntil(reader, (changes) => changes.length === 1)

    expect(unreliable.faults).toEqual([])
    expect(reader.changes[0]).toMatchObject({ difference_exact: '1' })
  })

  test('log the reason when reading the upstream begins to fail, and when it ends', async () => {
    const unreliable = await startUnreliableUpstream(upstream.url)
    onTestFinished(() => unreliable.close())
    await service.close()
    const logged: { readonly msg: string; readonly reason?: string }[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
    await startService({ rpcUrl: unreliable.url, retries: 0 }, log)
    const reader = await subscribe()
    for (const units of [1n, 2n]) {
      unreliable.faults = ['status500', 'status500', 'status500']
      await mintBlock(units)
      await lookUntil(reader, (changes) => changes.length === Number(units))
    }

    const ofEvents = logged.filter(({ msg }) => msg.includes('events of stocks'))
    const failing = expect.objectContaining({ reason: expect.stringContaining('HTTP 500'), code: 'unavailable' })
    const again = expect.objectContaining({ msg: expect.stringContaining('can be read again') })
    expect(ofEvents).toEqual([failing, again, failing, again])
  })

  test('are refused to an address with as many subscribers as --max-event-subscribers-per-address', async () => {
    await service.close()
    await startService({ maxEventSubscribersPerAddress: 1 })

    const first = await subscribe()
    expect(first.status).toBe(200)
    expect((await subscribe()).status).toBe(429)
    first.close()
  })

  test('begin later where the upstream refuses to search old blocks', async () => {
    await mintBlock(1n)
    const old = await subscribe()
    await old.until(({ events }) => events.length === 1)
    for (let count = 0; count < 110; count++) await upstream.nextBlock()
    const { statusOf } = searchingService(upstream.url, ({ from }) => (from < 10 ? WIDE : undefined))
    const recent = await upstream.result<{ hash: string }>('eth_getBlockByNumber', '0x50', false)

    expect(await statusOf(old.lastEventId)).toBe(410)
    expect(await statusOf(`80-${recent.hash.slice(2, 10)}`)).toBe(200)
  })

  test.each([WIDE, MANY])(
    'begin as early where the upstream refuses to search many blocks: $message',
    async (error) => {
      await mintBlock(1n)
      const old = await subscribe()
      await old.until(({ events }) => events.length === 1)
      for (let count = 0; count < 110; count++) await upstream.nextBlock()
      const { statusOf, ranges } = searchingService(upstream.url, ({ from, to }) =>
        to - from >= 10 ? error : undefined,
      )

      expect(await statusOf(old.lastEventId)).toBe(200)
      expect(Math.max(...ranges.map(({ from, to }) => to - from))).toBe(63)
    },
  )

  test.each([
    [{ code: -32_005, message: 'limit exceeded' }, 503],
    [{ code: -32_002, message: 'request timed out' }, 504],
  ])('do not begin later where the upstream fails with %o, but answer %i', async (error, status) => {
    await upstream.nextBlock()
    const { statusOf, ranges } = searchingService(upstream.url, () => error)

    expect(await statusOf('')).toBe(status)
    expect(new Set(ranges.map(({ from }) => from))).toEqual(new Set([1]))
  })

  test('begin with the newest block of a short chain after one attempt at block 0', async () => {
    await upstream.nextBlock()
    const { statusOf, ranges } = searchingService(upstream.url, () => WIDE)

    expect(await statusOf('')).toBe(200)
    const searches = ranges.map(({ from, to, topics }) => `${from} ${to} ${topics}`)
    expect(searches).not.toEqual([])
    expect(new Set(searches).size).toBe(searches.length)
  })
})
