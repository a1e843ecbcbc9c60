import { expect, test } from 'vitest'
import { CallSlots } from './call-slots.ts'

test('runs a limited number at once, queues others in order, and refuses too many', async () => {
  const slots = new CallSlots({ limit: 2, maxWaiting: 2 })
  const order: string[] = []
  expect(slots.enter()).toBe(true)
  expect(slots.enter()).toBe(true)
  const waiting = ['a', 'b'].map(async (name) => {
    await slots.enter()
    order.push(name)
  })
  expect(() => slots.enter()).toThrow(expect.objectContaining({ code: -32005 }))
  slots.leave()
  await Promise.resolve()
  expect(order).toEqual(['a'])
  slots.leave()
  await Promise.all(waiting)
  expect(order).toEqual(['a', 'b'])
  slots.leave()
  slots.leave()
  expect(slots.enter()).toBe(true)
})
