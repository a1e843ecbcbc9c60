import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { DEMO_STOCKS } from '../../src/chain/predeploys/demo-stocks.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { FLASHBLOCKS } from '../../src/node/development/mining-mode.ts'
import { hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import { bigintToSlot } from '../../src/primitives/quantity.ts'
import { EMPTY_REGISTRY } from '../../src/rest/tokenized-stocks/registry.ts'
import { ChainDirectories } from '../support/chain-directory.ts'
import { EventReader } from '../support/event-reader.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'

const [HLCYN, MRDTL] = DEMO_STOCKS
const OWNER = DEVELOPMENT_ACCOUNTS[0]!.address as `0x${string}`
const STOCK = parseAbi([
  'function mint(address, uint256)',
  'function burn(uint256)',
  'function pause(uint8[])',
  'function updateMultiplier(uint256)',
  'function updateUIMultiplier(uint256, uint256)',
  'function announce(bytes[], string, string, string)',
])
const FEED = parseAbi(['function updateAnswer(int256)'])
const ONE = 10n ** 18n

let server: ManualServer
let nonce = 0n
const readers: EventReader[] = []

beforeEach(async () => {
  nonce = 0n
  server = await startManualServer({}, { development: { mining: FLASHBLOCKS } })
  await server.nextBlock()
})
const directories = new ChainDirectories()
afterAll(() => directories.remove())
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close()
  await server.stop()
})

async function subscribe(lastEventId = '', query = ''): Promise<EventReader> {
  const reader = await EventReader.open(`${server.url}/v1/tokenized-stocks/events${query}`, lastEventId)
  readers.push(reader)
  return reader
}

async function sendTo(to: string, data: string): Promise<void> {
  await server.send({ nonce, to: toAddress(to), value: 0n, data: hexToBytes(data), gasLimit: 500_000n })
  nonce += 1n
}

async function mint(units: bigint): Promise<void> {
  await sendTo(HLCYN!.address, encodeFunctionData({ abi: STOCK, functionName: 'mint', args: [OWNER, units * ONE] }))
}

/** Mints in a flashblock of its own. */
async function mintNow(units: bigint): Promise<void> {
  await mint(units)
  await server.nextFlashblock()
}

async function setHead(number: number): Promise<void> {
  await server.result('debug_setHead', `0x${number.toString(16)}`)
  nonce = BigInt(await server.result<string>('eth_getTransactionCount', OWNER, 'pending'))
}

/** The order and the ids of all changes must not depend on when a subscriber came. */
async function expectEachSuffix(whole: EventReader): Promise<void> {
  const { events } = whole
  for (const [index, { id }] of events.entries()) {
    if (id === '') continue
    const rest = events.slice(index + 1)
    const resumed = await subscribe(id)
    await resumed.until(() => resumed.events.length > rest.length)
    expect(resumed.events.slice(1)).toEqual(rest)
    resumed.close()
  }
}

describe('events of stocks', () => {
  test('tell a mint in its flashblock, before the block is sealed', async () => {
    const reader = await subscribe()
    await reader.until(() => reader.events.length === 1)
    await mintNow(25n)
    await reader.until(() => reader.changes.length === 1)

    expect(reader.response.headers['content-type']).toBe('text/event-stream')
    expect(reader.events[0]).toMatchObject({ name: 'ready', data: { changes: 'preconfirmed', block_number: 1 } })
    expect(reader.changes).toEqual([
      {
        id: reader.lastEventId,
        kind: 'supply',
        removed: false,
        contract_address: HLCYN!.address,
        block_number: 2,
        flashblock: 1,
        timestamp: expect.stringMatching(/^2026-01-01T/),
        transaction_hash: expect.stringMatching(/^0x/),
        log_index: 0,
        total_supply: 1_000_025,
        total_supply_exact: '1000025',
        difference_exact: '25',
      },
    ])
    expect(server.node.view().head.sealed.latest).toBe(1)
  })

  test('begin with the changes of the open block', async () => {
    await mintNow(1n)
    await server.nextBlock()
    await mintNow(2n)
    const reader = await subscribe()
    await reader.until(() => reader.changes.length === 1)

    expect(reader.changes[0]).toMatchObject({ difference_exact: '2', total_supply: 1_000_003 })
    await expectEachSuffix(reader)
  })

  test('tell pauses, prices, multipliers and announcements, and a schedule when its time has come', async () => {
    const reader = await subscribe()
    const { address, priceFeed } = MRDTL!
    await sendTo(address, encodeFunctionData({ abi: STOCK, functionName: 'pause', args: [[2, 0]] }))
    await sendTo(
      priceFeed.address,
      encodeFunctionData({ abi: FEED, functionName: 'updateAnswer', args: [5_000_000_000n] }),
    )
    await sendTo(address, encodeFunctionData({ abi: STOCK, functionName: 'updateMultiplier', args: [2n * ONE] }))
    const at = BigInt(Math.floor(server.clock.wall() / 1_000)) + 10n
    const schedule = encodeFunctionData({ abi: STOCK, functionName: 'updateUIMultiplier', args: [4n * ONE, at] })
    await sendTo(address, schedule)
    await sendTo(
      address,
      encodeFunctionData({ abi: STOCK, functionName: 'announce', args: [[], 'a-1', 'Split', 'ipfs://x'] }),
    )
    await server.nextFlashblock()
    while (reader.changes.at(-1)?.kind !== 'multiplier' || reader.changes.length < 7) {
      await server.nextBlock()
      await reader.until(() => reader.changes.length >= 6)
      await new Promise(setImmediate)
    }

    expect(reader.changes.map(({ kind, action }) => action ?? kind)).toEqual([
      'pause',
      'price',
      'multiplier',
      'multiplier_scheduled',
      'announced',
      'announcement_ended',
      'multiplier',
    ])
    const [pause, price, multiplier, scheduled, announced, , effective] = reader.changes
    expect(pause.paused_features).toEqual([0, 2])
    expect(price).toMatchObject({ contract_address: address, nav_price: 50, nav_price_exact: '50' })
    expect(multiplier).toMatchObject({ multiplier: 2 })
    expect(scheduled).toMatchObject({ multiplier_exact: '4', effective_at: expect.stringMatching(/^2026-01-01T00/) })
    expect(announced).toMatchObject({ announcement: 'a-1', description: 'Split', uri: 'ipfs://x' })
    expect(effective).toMatchObject({ multiplier: 4, transaction_hash: null, log_index: null, flashblock: 0 })
    await expectEachSuffix(reader)
  })

  test('are sent again as removed, newest first, when 20 blocks are unwound, and each position can be resumed', async () => {
    const reader = await subscribe()
    await mintNow(1n)
    await server.nextBlock()
    for (let count = 0; count < 20; count++) {
      if (count % 7 === 0) await mint(10n)
      await server.nextBlock()
    }
    await mintNow(5n)
    await reader.until(() => reader.changes.length === 5)
    const [, ...later] = reader.changes
    await setHead(2)
    await mintNow(7n)
    await reader.until(() => reader.changes.length === 10)

    const removed = reader.changes.slice(5, 9)
    const shown = ({ id: _, removed: __, ...change }: { readonly id: string; readonly removed: boolean }) => change
    expect(removed.map(shown)).toEqual(later.toReversed().map(shown))
    expect(removed.every((change) => change.removed)).toBe(true)
    expect(reader.changes[9]).toMatchObject({ removed: false, difference_exact: '7', total_supply: 1_000_008 })
    await expectEachSuffix(reader)
  })

  test.each([MRDTL!.address, 'MRDTLd', MRDTL!.isin])('are those of one token on request, %s', async (name) => {
    const reader = await subscribe('', `?contract_address=${name}`)
    await mint(1n)
    await sendTo(MRDTL!.address, encodeFunctionData({ abi: STOCK, functionName: 'mint', args: [OWNER, 1n] }))
    await server.nextFlashblock()
    await reader.until(() => reader.changes.length === 1)

    expect(reader.changes[0]).toMatchObject({ contract_address: MRDTL!.address, difference_exact: '0.000001' })
  })

  test('are refused for a name that no listed token has', async () => {
    const response = await fetch(`${server.url}/v1/tokenized-stocks/events?contract_address=mrdtld`)

    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 5, message: expect.stringContaining('mrdtld') })
  })

  test('end when a token is changed from outside, because nothing tells how', async () => {
    const reader = await subscribe()
    await mintNow(1n)
    await reader.until(() => reader.changes.length === 1)
    await server.node.development!.state.setStorage(toAddress(MRDTL!.address), bigintToSlot(5n), 1n)
    await server.nextFlashblock()

    await expect(reader.until(() => false)).rejects.toThrow('ended')
    expect((await subscribe(reader.lastEventId)).status).toBe(410)
    expect((await subscribe()).status).toBe(200)
  })

  test('are not read for a client that has too many subscribers', async () => {
    await server.stop()
    server = await startManualServer({}, {}, { maxEventSubscribersPerAddress: 0 })
    const before = server.node.events.listenerCount('unwound')

    expect((await subscribe()).status).toBe(429)
    expect(server.node.events.listenerCount('unwound')).toBe(before)
  })

  test('answer 410 to an id that is not kept and 400 to what is none', async () => {
    const reader = await subscribe()
    await reader.until(() => reader.events.length === 1)
    const [record] = reader.lastEventId.split('-')

    for (const id of ['999999-00000000', `${record}-00000000`, `${reader.lastEventId}-2.0`]) {
      expect((await subscribe(id)).status).toBe(410)
    }
    for (const id of ['oops', '1', '1-2']) expect((await subscribe(id)).status).toBe(400)
    expect((await subscribe('', `?last_event_id=${reader.lastEventId}`)).status).toBe(200)
  })

  test('have the same ids and content after a restart, also those of unwound blocks', async () => {
    await server.stop()
    const directory = directories.next()
    const start = () => startManualServer({}, { directory })
    nonce = 0n
    server = await start()
    const reader = await subscribe()
    await server.nextBlock()
    for (const units of [1n, 2n, 3n]) {
      await mintNow(units)
      await server.nextBlock()
    }
    await setHead(2)
    await mintNow(9n)
    await reader.until(() => reader.changes.length === 6)
    await server.stop()
    server = await start()

    await expectEachSuffix(reader)
    await mintNow(4n)
    const resumed = await subscribe(reader.lastEventId)
    await resumed.until(() => resumed.changes.length === 1)
    expect(resumed.changes[0]).toMatchObject({ difference_exact: '4' })
  })

  test('come although a registered contract that is no token emits logs', async () => {
    await server.stop()
    nonce = 0n
    const contract = createAddress(toAddress(OWNER), 0n)
    const entry = { chainId: undefined, symbol: 'X', name: 'X', isin: '', iconUrl: '', navFeed: undefined }
    const registry = { ...EMPTY_REGISTRY, tokens: [{ ...entry, address: contract }] }
    server = await startManualServer({}, { development: { mining: FLASHBLOCKS } }, {}, { registry: () => registry })
    // Reverts with calldata, emits a log without.
    const data = hexToBytes('0x6b366008575f5fa0005b5f5ffd5f52600c6014f3')
    await server.send({ nonce: 0n, to: null, value: 0n, data, gasLimit: 500_000n })
    nonce = 1n
    await server.nextBlock()
    await sendTo(contract, '0x')
    await server.nextBlock()

    const reader = await subscribe()
    await sendTo(contract, '0x')
    await mintNow(3n)
    await reader.until(() => reader.changes.length === 1)
    expect(reader.changes[0]).toMatchObject({ contract_address: HLCYN!.address, difference_exact: '3' })
  })

  test('are watched for snapshots also while no one subscribes', async () => {
    const { events } = server.node
    const before = events.listenerCount('unwound')
    const reader = await subscribe()
    const during = events.listenerCount('unwound')
    const left = new Promise((resolve) => reader.response.once('close', resolve))
    reader.close()
    await left
    await subscribe('999999-00000000')

    expect(during).toBe(before + 1)
    expect(events.listenerCount('unwound')).toBe(during)
  })
})
