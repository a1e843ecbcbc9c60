import { expect, test } from 'vitest'
import { Outbox } from './outbox.ts'

test('sends the messages behind one that cannot be cloned, and calls their listeners', () => {
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
  for (const message of ['one', 'uncloneable', 'two']) outbox.add(message, () => sent++)
  expect(() => outbox.flush()).toThrow('it cannot be cloned')
  expect(written).toEqual(['one', 'two'])
  expect(sent).toBe(3)
  outbox.flush()
  expect(written).toHaveLength(2)
})
