import { beforeEach, expect, test } from 'vitest'
import { RPC_CODES, RpcError } from '../errors.ts'
import type { MethodResult } from '../memoized/encoded-json.ts'
import { EncodedJson } from '../memoized/encoded-json.ts'
import { BurstQueue } from './burst-queue.ts'
import type { BurstResponse } from './offload.ts'
import { ClientGoneError } from './time-slices.ts'

/** Milliseconds that a request takes here. */
const WORK = 0.4
const SEALED = { latest: 0, safe: 0, finalized: 0 }

interface Batch {
  readonly texts: readonly string[]
  readonly respond: (responses: readonly BurstResponse[]) => void
  readonly fail: (error: unknown) => void
}

/** A line whose rounds end, and whose threads answer, when the test says so. */
function setUp({ maxWaiting = 1_000 } = {}) {
  const state = { now: 0, room: 0 }
  const actions: (() => void)[] = []
  const batches: Batch[] = []
  const here: string[] = []
  const gone = new Set<string>()
  const line = new BurstQueue(
    { maxWaiting },
    {
      now: () => state.now,
      nextRound: (action) => actions.push(action),
      threads: {
        room: () => state.room,
        run: (requests) => {
          state.room -= requests.length
          return new Promise((respond, fail) => {
            batches.push({ texts: requests.map(({ text }) => text), respond, fail })
          })
        },
      },
    },
  )
  const request = (name: string): MethodResult | Promise<MethodResult> =>
    line.handle({
      forThread: { sequence: 1, sealed: SEALED, text: name },
      runHere() {
        here.push(name)
        state.now += WORK
        return `${name} here`
      },
      runOffloaded: async () => `${name} among the long ones`,
      checkClient() {
        if (gone.has(name)) throw new ClientGoneError('the client is gone')
      },
    })
  return {
    state,
    batches,
    here,
    gone,
    request,
    /** So many, of which the first is answered at once. */
    requestMany: (count: number) => Array.from({ length: count }, (_, index) => Promise.resolve(request(`${index}`))),
    async endRound() {
      for (const action of actions.splice(0)) action()
      await new Promise(setImmediate)
    },
  }
}

let fixture: ReturnType<typeof setUp>
beforeEach(() => {
  fixture = setUp()
})

test('runs a single request of a round immediately, although threads have room', async () => {
  fixture.state.room = 100
  for (const name of ['a', 'b', 'c']) {
    expect(fixture.request(name)).toBe(`${name} here`)
    await fixture.endRound()
  }
  expect(fixture.batches).toEqual([])
})

test('requests after the first go to a thread in order', async () => {
  fixture.state.room = 100
  const responses = fixture.requestMany(20)
  expect(fixture.batches).toEqual([])
  await fixture.endRound()
  expect(fixture.here).toEqual(['0'])
  expect(fixture.batches.map(({ texts }) => texts.length)).toEqual([16, 3])
  expect(fixture.batches.flatMap(({ texts }) => texts)).toEqual(Array.from({ length: 19 }, (_, i) => `${i + 1}`))
  for (const { texts, respond } of fixture.batches.toReversed()) {
    respond(texts.map((name) => new EncodedJson(`${name} there`)))
  }
  expect((await Promise.all(responses)).slice(1)).toEqual(
    Array.from({ length: 19 }, (_, i) => new EncodedJson(`${i + 1} there`)),
  )
})

test('two are answered locally: a message would cost more', async () => {
  fixture.state.room = 100
  const responses = fixture.requestMany(3)
  await fixture.endRound()
  expect(fixture.batches).toEqual([])
  expect(await Promise.all(responses)).toEqual(['0 here', '1 here', '2 here'])
})

test('without thread capacity, runs one slice per round', async () => {
  fixture.state.room = 4
  const responses = fixture.requestMany(12)
  await fixture.endRound()
  expect(fixture.batches.map(({ texts }) => texts)).toEqual([['1', '2', '3', '4']])
  expect(fixture.here).toEqual(['0', '5', '6', '7'])
  await fixture.endRound()
  expect(fixture.here).toEqual(['0', '5', '6', '7', '8', '9', '10'])
  // The thread has answered, and takes some of those that wait.
  fixture.batches[0]!.respond(fixture.batches[0]!.texts.map(() => new EncodedJson('there')))
  await fixture.endRound()
  expect(await Promise.all(responses)).toHaveLength(12)
})

test('offloads requests that turn out to be long, and runs unanswered ones locally', async () => {
  fixture.state.room = 100
  const responses = fixture.requestMany(5)
  await fixture.endRound()
  const refused = new RpcError(RPC_CODES.server, 'execution reverted')
  fixture.batches[0]!.respond(['takesLong', undefined, refused])
  fixture.state.room = 0
  await expect(responses[3]).rejects.toBe(refused)
  expect(await responses[1]).toBe('1 among the long ones')
  await fixture.endRound()
  expect(await responses[2]).toBe('2 here')
  expect(await responses[4]).toBe('4 here')
})

test('runs requests locally whose head the thread does not have', async () => {
  fixture.state.room = 100
  const responses = fixture.requestMany(7)
  await fixture.endRound()
  fixture.state.room = 100
  fixture.batches[0]!.respond([undefined, undefined, undefined])
  await new Promise(setImmediate)
  expect(fixture.here).toEqual(['0', '1', '2', '3'])
  // Those that it had no time for are asked once more: it always has time for the first.
  await fixture.endRound()
  expect(fixture.batches.map(({ texts }) => texts)).toEqual([
    ['1', '2', '3', '4', '5', '6'],
    ['4', '5', '6'],
  ])
  fixture.batches[1]!.respond([undefined, undefined, undefined])
  expect(await Promise.all(responses)).toEqual(Array.from({ length: 7 }, (_, i) => `${i} here`))
})

test('runs requests of an ended thread locally, before later ones', async () => {
  fixture.state.room = 8
  const responses = fixture.requestMany(9)
  await fixture.endRound()
  const later = ['later 1', 'later 2'].map((name) => Promise.resolve(fixture.request(name)))
  fixture.state.room = 0
  fixture.batches[0]!.respond([])
  await new Promise(setImmediate)
  while (fixture.here.length < 11) await fixture.endRound()
  expect(await Promise.all([...responses, ...later])).toHaveLength(11)
  expect(fixture.here.at(-1)).toBe('later 2')
  expect(fixture.here.slice(2, 10)).toEqual(Array.from({ length: 8 }, (_, i) => `${i + 1}`))
})

test('rejects unanswered requests of threads when the node stops', async () => {
  fixture.state.room = 100
  const responses = fixture.requestMany(4)
  await fixture.endRound()
  const stopping = new RpcError(RPC_CODES.timedOut, 'the node is stopping')
  fixture.batches[0]!.fail(stopping)
  for (const response of responses.slice(1)) await expect(response).rejects.toBe(stopping)
})

test('does not run a queued request whose client disconnected', async () => {
  const responses = fixture.requestMany(3)
  fixture.gone.add('1')
  await expect(Promise.all([fixture.endRound(), responses[1]])).rejects.toThrow(ClientGoneError)
  expect(await responses[2]).toBe('2 here')
  expect(fixture.here).toEqual(['0', '2'])
})

test('answers above maxWaiting at once', () => {
  fixture = setUp({ maxWaiting: 2 })
  fixture.state.room = 100
  fixture.requestMany(5)
  expect(fixture.here).toEqual(['0', '3', '4'])
})
