import { expect, test } from 'vitest'
import type { RpcError } from '../protocol/errors.ts'
import { ANONYMOUS, type RpcClient } from '../protocol/rpc-client.ts'
import { CallSlots } from './call-slots.ts'

test('runs a limited number at once, queues others in order, and refuses too many', async () => {
  const slots = new CallSlots({ limit: 2, maxWaiting: 2 })
  const order: string[] = []
  expect(slots.enter(ANONYMOUS)).toBe(true)
  expect(slots.enter(ANONYMOUS)).toBe(true)
  const waiting = ['a', 'b'].map(async (name) => {
    await slots.enter(ANONYMOUS)
    order.push(name)
  })
  expect(() => slots.enter(ANONYMOUS)).toThrow(expect.objectContaining({ code: -32005 }))
  slots.leave()
  await Promise.resolve()
  expect(order).toEqual(['a'])
  slots.leave()
  await Promise.all(waiting)
  expect(order).toEqual(['a', 'b'])
  slots.leave()
  slots.leave()
  expect(slots.enter(ANONYMOUS)).toBe(true)
})

test('when too many calls wait, refuses the newest of the client with most of them', async () => {
  const slots = new CallSlots({ limit: 1, maxWaiting: 3 })
  const [busy, quiet] = ['busy', 'quiet'].map((id) => ({ ...ANONYMOUS, id, connection: {} })) as [RpcClient, RpcClient]
  const ended: string[] = []
  const call = async (client: RpcClient, name: string) => {
    try {
      await slots.enter(client)
      ended.push(name)
    } catch (error) {
      ended.push(`${name}: ${(error as RpcError).code}`)
    }
  }
  expect(slots.enter(busy)).toBe(true)
  const all = ['a', 'b', 'c'].map((name) => call(busy, name))

  all.push(call(quiet, 'quiet'), call(busy, 'd'))
  for (let count = 0; count < 4; count++) slots.leave()
  await Promise.all(all)

  expect(ended.toSorted()).toEqual(['a', 'b', 'c: -32005', 'd: -32005', 'quiet'])
})
