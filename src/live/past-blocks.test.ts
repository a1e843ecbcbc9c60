import { expect, test } from 'vitest'
import { type Connection, initialConnection } from './connection.ts'
import { LiveFeed } from './live-feed.ts'
import type { SubscriptionListener } from './live-socket.ts'
import { busiestGas, liveTransactions, slotPlaces, withPast } from './live-summary.ts'
import { Store } from './store.ts'

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const USER = `0x${'11'.repeat(20)}`
const SYSTEM = '0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001'

const transaction = (index: number, from: string) => ({ hash: hashOf(1_000 + index), from, to: USER, value: '0x1' })

function blockOf(number: number) {
  return {
    number: `0x${number.toString(16)}`,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    gasUsed: '0x64',
    gasLimit: '0xffff',
    timestamp: `0x${(number * 2).toString(16)}`,
    transactions: [transaction(2 * number, SYSTEM), transaction(2 * number + 1, USER)],
  }
}

/** A feed that is announced block `first`, with what it asked for. */
async function followingFrom(first: number, answer: (number: number) => unknown) {
  const asked: unknown[][] = []
  const listeners = new Map<string, SubscriptionListener>()
  const feed = new LiveFeed({
    client: {
      connection: new Store<Connection>({ ...initialConnection(0), kind: 'live' }),
      subscribe([name], listener) {
        listeners.set(String(name), listener)
        return () => undefined
      },
      async request(_, [id, isWhole] = []) {
        asked.push([Number(id), isWhole])
        return answer(Number(id))
      },
      onSent: () => () => undefined,
    },
    now: () => 30_000,
    after: () => () => undefined,
    codec: { hash: (raw) => raw, members: () => [] },
  })
  feed.start()
  const announce = async (height: number) => {
    listeners.get('newFlashblocks')!.onResult({
      payload_id: `0x${(240 + height).toString(16)}`,
      index: 0,
      base: { parent_hash: hashOf(height - 1), timestamp: '0x1', gas_limit: '0x64' },
      diff: { gas_used: '0x9', block_hash: hashOf(5_000 + height), transactions: [] },
      metadata: { block_number: height },
    })
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  const lose = () => {
    for (const listener of listeners.values()) listener.onLost?.()
  }
  await announce(first)
  return { asked, state: feed.state.value, feed, announce, lose }
}

const pastOf = ({ state }: LiveFeed) => state.value.past.map(({ number }) => number)

test('a lost connection clears the past, and the next one reads its own', async () => {
  const { feed, announce, lose } = await followingFrom(3, blockOf)
  expect(pastOf(feed)).toEqual([0, 1, 2])
  lose()
  expect(pastOf(feed)).toEqual([])
  await announce(2)
  expect(pastOf(feed)).toEqual([0, 1])
})

test('blocks that a node refused are read again after the connection was lost', async () => {
  let isAnswering = false
  const { feed, announce, lose } = await followingFrom(3, (number) => (isAnswering ? blockOf(number) : null))
  expect(pastOf(feed)).toEqual([])
  isAnswering = true
  lose()
  await announce(4)
  expect(pastOf(feed)).toEqual([0, 1, 2, 3])
})

test('responses that arrive after their connection was lost are discarded', async () => {
  const late: (() => void)[] = []
  let isLate = true
  const { feed, announce, lose } = await followingFrom(3, (number) =>
    isLate ? new Promise((resolve) => late.push(() => resolve(blockOf(number)))) : blockOf(number),
  )
  lose()
  isLate = false
  await announce(2)
  for (const answer of late) answer()
  await new Promise<void>((resolve) => setImmediate(resolve))
  expect([late.length, pastOf(feed)]).toEqual([3, [0, 1]])
})

test('a new client reads the blocks before the first one once, whole transactions of the newest only', async () => {
  const { asked, state } = await followingFrom(12, blockOf)

  expect(asked).toEqual([11, 10, 9, 8, 7, 6, 5, 4].map((number) => [number, number > 7]))
  expect(state.past.map(({ number }) => number)).toEqual([4, 5, 6, 7, 8, 9, 10, 11])
  expect(state.timeline.sealed).toEqual([])
  // Each arrived at its own time, so that rates count it.
  expect(state.past.at(-1)!.slots[0]!.arrivedAt).toBe(22_000)
})

test('blocks with times ahead of the clock, and blocks that a node refuses, do no harm', async () => {
  const { state } = await followingFrom(2, (number) =>
    number === 1 ? { ...blockOf(1), timestamp: '0xffffffff' } : null,
  )
  expect(state.past.map(({ number, slots }) => [number, slots[0]!.arrivedAt])).toEqual([[1, 30_000]])
})

test('a view begins with the past, until its own blocks replace it, and leaves out system transactions', async () => {
  const { state } = await followingFrom(12, blockOf)
  const timeline = withPast(state.shown, state.past)

  expect(timeline.sealed).toHaveLength(8)
  expect(liveTransactions(timeline).map(({ hash }) => hash)).toEqual(
    [11, 10, 9, 8, 7, 6, 5, 4].map((number) => hashOf(1_001 + 2 * number)),
  )
  expect(slotPlaces(timeline.sealed[0]!, 10)).toHaveLength(1)
  // Gas of whole blocks would flatten the bars of slots.
  expect(busiestGas(timeline)).toBe(9n)
  const replaced = { ...state.shown, sealed: [{ ...state.past[0]!, number: 6 }] }
  expect(withPast(replaced, state.past).sealed.map(({ number }) => number)).toEqual([4, 5, 6])
})
