import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { endThread } from '../src/primitives/threads/thread-port.ts'

/** The built module: a worker thread cannot load TypeScript on every version of Node. */
const MODULE = new URL('../dist/primitives/threads/thread-port.js', import.meta.url).href

test('a thread handles the messages before its end, drops work that has yielded, and exits by itself', async () => {
  const program = `
    import { parentPort } from 'node:worker_threads'
    import { receiveMessages } from ${JSON.stringify(MODULE)}
    receiveMessages(async (message) => {
      parentPort.postMessage('begins ' + message)
      await new Promise((resolve) => setTimeout(resolve, 60_000))
      parentPort.postMessage('ends ' + message)
    })`
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`))
  const messages: unknown[] = []
  worker.on('message', (message) => messages.push(message))
  const exit = once(worker, 'exit')

  worker.postMessage(1)
  worker.postMessage(2)
  await endThread(worker)

  expect(messages).toEqual(['begins 1', 'begins 2'])
  // A terminated thread exits with 1.
  expect(await exit).toEqual([0])
})
