import { describe, expect, test } from 'vitest'
import { type Connection, initialConnection } from './connection.ts'
import { LiveFeed, newestHeight, openHeight, tickOf } from './live-feed.ts'
import type { SubscriptionListener } from './live-socket.ts'
import type { SentListener } from './node-client.ts'
import { RequestError } from './request-error.ts'
import { Store } from './store.ts'

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`

const block = (number: number) => ({
  number: `0x${number.toString(16)}`,
  hash: hashOf(number),
  parentHash: hashOf(number - 1),
  gasUsed: '0x0',
  gasLimit: '0x64',
  timestamp: '0x1',
  transactions: [],
})

const flashblock = (number: number, index: number) => ({
  payload_id: `0x${number}`,
  index,
  base: index === 0 ? { parent_hash: hashOf(number - 1), timestamp: '0x1', gas_limit: '0x64' } : null,
  diff: { gas_used: '0x0', block_hash: hashOf(number * 1_000 + index), transactions: [] },
  metadata: { block_number: number },
})

/** A feed of a node whose announcements, responses, connection and clock the test sets. */
function following() {
  const listeners = new Map<string, SubscriptionListener>()
  const timers: (() => void)[] = []
  const sending: SentListener[] = []
  const clock = { now: 0 }
  const connection = new Store<Connection>({ ...initialConnection(0), kind: 'live' })
  const blocks = new Map<string, unknown>()
  const feed = new LiveFeed({
    client: {
      connection,
      subscribe([name], listener) {
        listeners.set(String(name), listener)
        return () => listeners.delete(String(name))
      },
      request: async (_, [id] = []) => blocks.get(String(id)) ?? null,
      onSent(listener) {
        sending.push(listener)
        return () => undefined
      },
    },
    now: () => clock.now,
    after(_, action) {
      timers.push(action)
      return () => undefined
    },
    codec: { hash: (raw) => raw, members: () => [] },
  })
  feed.start()
  /** Lets the responses arrive. */
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const headOf = (number: number) => listeners.get('newHeads')!.onResult(block(number))
  return {
    feed,
    clock,
    settle,
    headOf,
    kind: (kind: Connection['kind']) => connection.set({ kind, since: clock.now, heardAt: clock.now }),
    /** Answers the requests for a block with anything. */
    answer: (number: number, json: unknown) => blocks.set(hashOf(number), json),
    seal(number: number) {
      blocks.set(hashOf(number), block(number))
      blocks.set('latest', block(number))
    },
    announce: (number: number, index: number) => listeners.get('newFlashblocks')!.onResult(flashblock(number, index)),
    refuse: () => listeners.get('newFlashblocks')!.onRefused!(new RequestError('REFUSED', 'no such subscription')),
    pool: (hash: string) => listeners.get('newPendingTransactions')!.onResult(hash),
    send: (hash: string, at: number) => sending[0]!(hash, at),
    /** Announces a flashblock with raw transactions, whose hash is their own text. */
    include: (raw: string) =>
      listeners.get('newFlashblocks')!.onResult({
        ...flashblock(1, 0),
        diff: { gas_used: '0x0', block_hash: hashOf(1_000), transactions: [raw] },
      }),
    lose() {
      for (const listener of listeners.values()) listener.onLost?.()
    },
    /** The next look for announcements, `milliseconds` later. */
    async tick(milliseconds = 2_000) {
      clock.now += milliseconds
      timers.shift()!()
      await settle()
    },
  }
}

describe('LiveFeed', () => {
  test('measures from sending, or from the announcement as pooled, to the flashblock', () => {
    const { feed, clock, pool, send, include } = following()
    const [sent, pooled] = [`0x${'a'.repeat(64)}`, `0x${'b'.repeat(64)}`]
    send(sent, 40)
    clock.now = 100
    for (const hash of [sent, pooled, 7, '0x12', null]) pool(hash as string)
    clock.now = 250
    include(sent)
    include(pooled)
    expect(feed.state.value.visibility.recent.map(({ hash, milliseconds }) => [hash, milliseconds])).toEqual([
      [sent, 210],
      [pooled, 150],
    ])
    expect([feed.sentAt(sent), feed.sentAt(pooled), feed.sentAt('0x12')]).toEqual([40, 100, undefined])
  })

  test('shows the blocks of a chain that accepts newFlashblocks but never notifies', async () => {
    const { feed, seal, headOf, settle } = following()
    for (const number of [5, 6]) {
      seal(number)
      headOf(number)
      await settle()
    }

    expect(feed.state.value).toMatchObject({
      mode: 'blocks',
      timeline: { open: { number: 6 }, sealed: [{ number: 5 }] },
    })
    expect(newestHeight(feed.state.value)).toBe(6)
  })

  test('shows the newest block of a node that refuses newFlashblocks, and calls it sealed', async () => {
    const { feed, seal, refuse, settle } = following()
    seal(9)
    refuse()
    await settle()

    expect(feed.state.value).toMatchObject({ mode: 'blocks', timeline: { open: { number: 9, isSealed: true } } })
    expect(openHeight(feed.state.value)).toBeUndefined()
  })

  test('shows the newest block of a node that announces nothing', async () => {
    const { feed, seal, tick } = following()
    seal(3)
    await tick()
    expect(feed.state.value).toMatchObject({ mode: 'blocks', timeline: { open: { number: 3 } } })
  })

  test('takes a head of announced flashblocks as the end of their block', async () => {
    const { feed, announce, seal, headOf, settle } = following()
    announce(5, 0)
    announce(5, 1)
    expect(openHeight(feed.state.value)).toBe(5)
    const tick = tickOf(feed.state.value)
    seal(5)
    headOf(5)
    await settle()

    expect(feed.state.value).toMatchObject({ mode: 'flashblocks', timeline: { open: { isSealed: true }, replaced: 0 } })
    expect(feed.state.value.timeline.open!.slots).toHaveLength(2)
    expect(openHeight(feed.state.value)).toBeUndefined()
    expect(tickOf(feed.state.value)).not.toBe(tick)
    announce(6, 0)
    expect(openHeight(feed.state.value)).toBe(6)
  })

  test('follows flashblocks as soon as they arrive', async () => {
    const { feed, announce, seal, headOf, settle } = following()
    seal(4)
    headOf(4)
    await settle()
    announce(5, 0)
    expect(feed.state.value).toMatchObject({ mode: 'flashblocks', timeline: { open: { number: 5, isSealed: false } } })
    expect(feed.state.value.timeline.sealed.map(({ number }) => number)).toEqual([4])
  })

  test('follows blocks again when a node came back without flashblocks', async () => {
    const { feed, announce, lose, seal, headOf, settle } = following()
    announce(50, 0)
    lose()
    seal(7)
    headOf(7)
    await settle()
    expect(feed.state.value).toMatchObject({ mode: 'blocks', timeline: { open: { number: 7 }, sealed: [] } })
  })

  test('shows blocks in their order, however long their responses take', async () => {
    const { feed, seal, headOf, settle } = following()
    for (const number of [5, 6, 7]) seal(number)
    for (const number of [5, 6, 7]) headOf(number)
    await settle()
    const { open, sealed, replaced } = feed.state.value.timeline
    expect([...sealed, open].map((one) => one?.number)).toEqual([5, 6, 7])
    expect(replaced).toBe(0)
  })

  test('dates a block by its announcement, and one that it looked for not at all', async () => {
    const { feed, clock, seal, headOf, settle, tick, kind } = following()
    seal(1)
    headOf(1)
    clock.now = 40
    await settle()
    expect(feed.state.value.timeline.open!.slots[0]!.arrivedAt).toBe(0)

    for (const number of [2, 3, 4, 5, 6, 7]) {
      seal(number)
      kind('polling')
      await tick(6_000)
    }
    expect(feed.state.value.timeline).toMatchObject({ open: { number: 7 }, gaps: [], latenesses: [] })
  })

  test('keeps the chain current while the live view is paused', () => {
    const { feed, announce } = following()
    announce(5, 0)
    feed.pause()
    const tick = tickOf(feed.state.value)
    announce(5, 1)
    announce(6, 0)

    expect(newestHeight(feed.state.value)).toBe(6)
    expect(tickOf(feed.state.value)).not.toBe(tick)
    expect(feed.state.value).toMatchObject({ queued: 2, shown: { open: { number: 5, slots: [{ index: 0 }] } } })
    feed.step()
    expect(feed.state.value).toMatchObject({ queued: 1, shown: { open: { number: 5, slots: [{}, { index: 1 }] } } })
    feed.resume()
    expect(feed.state.value).toMatchObject({ queued: 0, shown: { open: { number: 6 } } })
  })

  test('reads blocks when the WebSocket of a node with flashblocks does not come back', async () => {
    const { feed, announce, lose, kind, seal, tick } = following()
    announce(5, 0)
    lose()
    kind('polling')
    seal(8)
    await tick(4_000)
    expect(newestHeight(feed.state.value)).toBe(5)
    await tick()
    expect(feed.state.value.mode).toBe('blocks')
    expect(newestHeight(feed.state.value)).toBe(8)
  })

  test('goes on reading after a block of another form', async () => {
    const { feed, answer, seal, headOf, settle } = following()
    answer(5, { ...block(5), hash: { toString: 0, valueOf: 0 }, parentHash: { toString: 0, valueOf: 0 } })
    headOf(5)
    await settle()
    seal(6)
    headOf(6)
    await settle()
    expect(newestHeight(feed.state.value)).toBe(6)
  })

  test('reads nothing while the node is away', async () => {
    const { feed, kind, seal, tick } = following()
    kind('offline')
    seal(8)
    await tick(60_000)
    expect(newestHeight(feed.state.value)).toBeUndefined()
  })
})
