import { parentPort } from 'node:worker_threads'
import type { Bytes } from '../../primitives/hex.ts'
import { receiveMessages } from '../../primitives/threads/thread-port.ts'
import { recoverBatch } from './signature-batch.ts'

/** Entry point of the thread that recovers senders; responses are in the order of batches. */
receiveMessages((questions: Bytes) => {
  const responses = recoverBatch(questions)
  parentPort!.postMessage(responses, [responses.buffer as ArrayBuffer])
})
