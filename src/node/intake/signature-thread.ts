import { parentPort } from 'node:worker_threads'
import type { Bytes } from '../../primitives/hex.ts'
import { answerQuestions } from './signature-batch.ts'

/** What a thread runs that recovers senders: batches come in and go out in their order. */
parentPort!.on('message', (questions: Bytes) => {
  const answers = answerQuestions(questions)
  parentPort!.postMessage(answers, [answers.buffer as ArrayBuffer])
})
