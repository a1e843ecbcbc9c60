import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { readFlashblock } from '../../../test/support/flashblocks/flashblock-reader.ts'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { DeliveryQueue } from '../../rpc/subscriptions/delivery-queue.ts'
import type { Layer } from '../../state/layer.ts'
import { FeedChannel } from './feed-channel.ts'
import { type FeedFrame, FeedMessage } from './feed-message.ts'

let layer: Layer
beforeAll(async () => {
  const { node } = await startManualNode()
  layer = node.view().head.pending.layers[0]!
  await node.stop()
})

const log = { error: (details: object) => expect.unreachable(JSON.stringify(details)) }

function deliveries(now: () => number = () => 0) {
  return new DeliveryQueue<FeedFrame>({ maxWaiting: 1_000_000 }, { log, now, nextRound: setImmediate })
}

/** A message whose compression ends when `done` receives the bytes. */
function compressing(index: number, done: ((bytes: Uint8Array) => void)[]) {
  return Object.assign(new FeedMessage({ ...layer, index }), {
    compressed: () => new Promise<Uint8Array>((resolve) => done.push(resolve)),
  })
}

const nextRound = () => new Promise((resolve) => setImmediate(resolve))

test('delivers in order: a subscriber that leaves during compression gets nothing more, a new one gets all', async () => {
  const done: ((bytes: Uint8Array) => void)[] = []
  const channel = new FeedChannel({ isCompressed: true }, { deliveries: deliveries(), log })
  const received: number[][] = [[], []]
  const listeners = received.map((list) => (frame: FeedFrame) => list.push(frame.message.index))
  channel.join(listeners[0]!, [compressing(0, done)])
  channel.push(compressing(1, done))
  channel.push(compressing(2, done))
  const settle = async () => {
    done.shift()!(new Uint8Array(1))
    await nextRound()
  }
  await settle()
  expect(received[0]).toEqual([0])
  channel.leave(listeners[0]!)
  channel.join(
    listeners[1]!,
    [0, 1, 2].map((index) => compressing(index, done)),
  )
  while (done.length > 0) await settle()
  expect(received).toEqual([[0], [0, 1, 2]])
})

test('sends a flashblock that cannot be compressed as text, which readers distinguish from Brotli', async () => {
  const logged: string[] = []
  const failing = Object.assign(new FeedMessage(layer), { compressed: () => Promise.reject(new Error('no memory')) })
  const channel = new FeedChannel(
    { isCompressed: true },
    { deliveries: deliveries(), log: { error: (_, message) => logged.push(message) } },
  )
  const received = await new Promise<FeedFrame>((resolve) => channel.join(resolve, [failing]))
  expect(readFlashblock(received.bytes)).toMatchObject({ kind: 'flashblock', flashblock: { number: 1, index: 0 } })
  expect(logged).toEqual(['a flashblock could not be compressed and goes out as it is'])
})

test('property: each subscriber receives all messages from an index 0 on, once and in order', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant('flashblock' as const) },
    { weight: 1, arbitrary: fc.constantFrom('block', 'join', 'round') },
    { weight: 1, arbitrary: fc.nat({ max: 9 }).map((leaver) => ({ leaver })) },
  )
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 60 }), async (isCompressed, steps) => {
      let time = 0
      // Each read of the clock takes a time slice, so that subscribers receive messages over many rounds.
      const channel = new FeedChannel({ isCompressed }, { deliveries: deliveries(() => (time += 3)), log })
      const all: FeedMessage[] = []
      let open: FeedMessage[] = []
      const subscribers: { readonly received: FeedMessage[]; readonly leave: () => void; isGone: boolean }[] = []
      const announce = (index: number) => {
        const message = Object.assign(new FeedMessage({ ...layer, index }), {
          compressed: async () => new Uint8Array(1),
        })
        open = index === 0 ? [message] : [...open, message]
        all.push(message)
        channel.push(message)
      }
      announce(0)
      for (const one of steps) {
        if (one === 'flashblock') announce(open.length)
        else if (one === 'block') announce(0)
        else if (one === 'round') await nextRound()
        else if (one === 'join') {
          const received: FeedMessage[] = []
          const listener = ({ message }: FeedFrame) => received.push(message)
          received.push(...channel.join(listener, open).map(({ message }) => message))
          subscribers.push({ received, leave: () => channel.leave(listener), isGone: false })
        } else {
          const subscriber = subscribers[one.leaver]
          subscriber?.leave()
          if (subscriber !== undefined) subscriber.isGone = true
        }
      }
      const isThrough = () => subscribers.every(({ received, isGone }) => isGone || received.at(-1) === all.at(-1))
      for (let round = 0; !isThrough() && round < 1_000; round++) await nextRound()
      for (const { received, isGone } of subscribers) {
        if (received.length === 0) {
          expect(isGone).toBe(true)
          continue
        }
        expect(received[0]!.index).toBe(0)
        const start = all.indexOf(received[0]!)
        expect(received.map((message) => all.indexOf(message))).toEqual(received.map((_, position) => start + position))
        if (!isGone) expect(received.at(-1)).toBe(all.at(-1))
      }
    }),
    { numRuns: 300 },
  )
})
