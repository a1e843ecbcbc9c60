import { expect, test } from 'vitest'
import { PendingReplies } from './pending-replies.ts'

test('gives each request the reply with its id, in any order, and its note back', async () => {
  const pending = new PendingReplies<string, string>()
  const [first, second] = ['first', 'second'].map((note) => pending.add(note))

  expect([...pending.entries()]).toEqual([
    [first!.id, 'first'],
    [second!.id, 'second'],
  ])
  expect(pending.resolve(second!.id, 'b')).toBe('second')
  expect(pending.resolve(first!.id, 'a')).toBe('first')

  expect(await Promise.all([first!.reply, second!.reply])).toEqual(['a', 'b'])
  expect(pending.size).toBe(0)
})

test('ignores a second reply and unknown ids', async () => {
  const pending = new PendingReplies<string>()
  const { id, reply } = pending.add(undefined)
  pending.resolve(id, 'a')

  pending.reject(id, new Error('late'))
  expect(pending.resolve(7, 'b')).toBeUndefined()

  expect(await reply).toBe('a')
})

test('rejects or resolves all that are left', async () => {
  const pending = new PendingReplies<string>()
  const rejected = [pending.add(undefined), pending.add(undefined)].map(({ reply }) => reply)
  pending.rejectAll(new Error('gone'))
  const resolved = pending.add(undefined).reply
  pending.resolveAll('done')

  expect(await Promise.allSettled(rejected)).toMatchObject([
    { reason: { message: 'gone' } },
    { reason: { message: 'gone' } },
  ])
  expect(await resolved).toBe('done')
})
