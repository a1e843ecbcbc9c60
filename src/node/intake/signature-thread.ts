import { parentPort } from 'node:worker_threads'
import type { Bytes } from '../../primitives/hex.ts'
import { answerQuestions } from './signature-batch.ts'

/** Entry point of the thread that recovers senders: batches are answered in order. */
parentPort!.on('message', (questions: Bytes) => {
  const answers = answerQuestions(questions)
  parentPort!.postMessage(answers, [answers.buffer as ArrayBuffer])
})
