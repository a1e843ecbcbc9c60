import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { endThread } from './thread-port.ts'

/** A thread that runs this code, once it has started. */
async function startedThread(code: string): Promise<Worker> {
  const worker = new Worker(`const { parentPort } = require('node:worker_threads')\n${code}`, { eval: true })
  await once(worker, 'online')
  return worker
}

test('endThread lets a thread finish the message that it handles', async () => {
  const worker = await startedThread(`
    parentPort.once('message', () => {
      for (const end = Date.now() + 50; Date.now() < end; );
      parentPort.postMessage('finished')
      parentPort.once('message', () => process.exit(7))
    })`)
  const messages: unknown[] = []
  worker.on('message', (message) => messages.push(message))
  const exit = once(worker, 'exit')

  worker.postMessage('work')
  await endThread(worker)

  expect(messages).toEqual(['finished'])
  expect(await exit).toEqual([7])
})

test('endThread terminates a thread that does not end', async () => {
  const worker = await startedThread('parentPort.on("message", () => { for (;;); })')
  await endThread(worker)
  expect(worker.threadId).toBe(-1)
})

test('endThread resolves for a thread that has exited', async () => {
  const worker = await startedThread('process.exit(0)')
  await once(worker, 'exit')
  await endThread(worker)
  expect(worker.threadId).toBe(-1)
})
