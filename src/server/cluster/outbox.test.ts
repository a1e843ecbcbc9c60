import { expect, test } from 'vitest'
import { Outbox } from './outbox.ts'

test('one letter that cannot be sent kept those behind it, and whoever waited until they were sent, waiting', () => {
  const written: string[] = []
  let sent = 0
  const outbox = new Outbox<string>({
    write(message) {
      if (message.includes('uncloneable')) throw new Error('it cannot be cloned')
      written.push(String(message))
    },
    onUnsendable(_, error) {
      throw error
    },
  })
  for (const letter of ['one', 'uncloneable', 'two']) outbox.add(letter, () => sent++)
  expect(() => outbox.flush()).toThrow('it cannot be cloned')
  expect(written).toEqual(['one', 'two'])
  expect(sent).toBe(3)
  outbox.flush()
  expect(written).toHaveLength(2)
})
