import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import type { ChunkedResponse, ChunkRequest } from './messages.ts'
import { joinChunks, ResponseChunks } from './response-chunks.ts'

const LONG = 'x'.repeat(1_000_000)

function holding() {
  const clock = new ManualClock({ wall: 0 })
  const held = new ResponseChunks({ clock })
  const lengths: number[] = []
  const send = (text: string) => held.send(async () => ({ kind: 'result', text }))
  const fetch = async (piece: ChunkRequest) => {
    const text = held.piece(piece)
    lengths.push(text?.length ?? 0)
    // Each process receives a copy.
    return structuredClone(text)
  }
  return { clock, held, send, lengths, fetch }
}

test('property: transfers a response of any length unchanged, and holds nothing afterwards', async () => {
  const units = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(units, fc.integer({ min: 0, max: 40_000 }), async (unit, times) => {
      const { send, fetch, clock } = holding()
      const text = unit.repeat(times)
      const sent: ChunkedResponse = structuredClone(await send(text))
      expect(await joinChunks(sent, fetch)).toEqual({ kind: 'result', text })
      expect(clock.next).toBeUndefined()
    }),
    { numRuns: 50 },
  )
})

test('transfers a large response in chunks of at most 128 KiB', async () => {
  const { send, fetch, lengths } = holding()
  const sent = await send(LONG)
  expect(JSON.stringify(sent).length).toBeLessThan(200)
  await joinChunks(sent, fetch)
  expect(Math.max(...lengths)).toBe(128 * 1024)
})

test('drops responses that are not fetched, and refuses requests while too many are held', async () => {
  const { held, send, fetch, clock } = holding()
  const responses: ChunkedResponse[] = []
  for (let count = 0; count < 135; count++) responses.push(await send(LONG))
  expect(new Set(responses.map(({ kind }) => kind))).toEqual(new Set(['pieces']))
  const refused = await held.send(() => expect.fail('it was asked for'))
  expect(refused).toMatchObject({ kind: 'error', code: -32005 })
  clock.moveTo(30_000)
  expect(await joinChunks(responses[0]!, fetch)).toEqual({ kind: 'gone' })
  expect((await send(LONG)).kind).toBe('pieces')
})

test('bounds held responses of concurrent requests', async () => {
  const { held } = holding()
  const responseOf = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return { kind: 'result', text: LONG } as const
  }
  const responses = await Promise.all(Array.from({ length: 300 }, () => held.send(responseOf)))
  const count = responses.filter(({ kind }) => kind === 'pieces').length
  expect(count).toBeGreaterThanOrEqual(135)
  // Up to this many concurrent requests may exceed the limit.
  expect(count).toBeLessThan(150)
  expect(responses.filter(({ kind }) => kind === 'error')).toHaveLength(300 - count)
})

test('a failing request frees its slot', async () => {
  const { held, send } = holding()
  for (let count = 0; count < 20; count++) {
    await expect(held.send(() => Promise.reject(new Error('unreadable')))).rejects.toThrow('unreadable')
  }
  expect(await send('short')).toEqual({ kind: 'result', text: 'short' })
})
