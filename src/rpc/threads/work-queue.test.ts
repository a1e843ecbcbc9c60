import { expect, test } from 'vitest'
import { WorkQueue } from './work-queue.ts'

/** Work that completes on request, and its outcome. */
function steps() {
  const line = new WorkQueue()
  const messages: string[] = []
  const ends = new Map<number, () => void>()
  const add = (id: number) =>
    line.add(id, {
      async work(isCancelled) {
        messages.push(`${id} begins`)
        await new Promise<void>((resolve) => ends.set(id, resolve))
        messages.push(isCancelled() ? `${id} stops` : `${id} ends`)
      },
      drop: () => messages.push(`${id} is dropped`),
    })
  const end = async (id: number) => {
    ends.get(id)!()
    await new Promise(setImmediate)
  }
  return { line, messages, add, end }
}

test('runs tasks one after another, later ones too', async () => {
  const { messages, add, end } = steps()
  add(1)
  add(2)
  expect(messages).toEqual(['1 begins'])
  await end(1)
  add(3)
  await end(2)
  await end(3)
  add(4)
  await end(4)
  expect(messages).toEqual([1, 2, 3, 4].flatMap((id) => [`${id} begins`, `${id} ends`]))
})

test('drops a task that is cancelled before it starts', async () => {
  const { line, messages, add, end } = steps()
  add(1)
  add(2)
  add(3)
  line.cancel(2)
  expect(messages).toEqual(['1 begins', '2 is dropped'])
  await end(1)
  expect(messages).toEqual(['1 begins', '2 is dropped', '1 ends', '3 begins'])
})

test('cancels the running task only', async () => {
  const { line, messages, add, end } = steps()
  add(1)
  add(2)
  line.cancel(1)
  line.cancel(1)
  await end(1)
  await end(2)
  line.cancel(2)
  expect(messages).toEqual(['1 begins', '1 stops', '2 begins', '2 ends'])
})
