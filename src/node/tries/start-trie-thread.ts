import { Worker } from 'node:worker_threads'
import type { ChainIdentity } from '../../state/chain-store/open-chain-database.ts'
import { type TrieAnswer, type TrieQuestion, transferred } from './trie-messages.ts'

/** The thread that has the tries, as far as it is used. */
export interface TrieThread {
  post(question: TrieQuestion): void
  /** Told each answer, or once that there will be none any more. */
  listen(onAnswer: (answer: TrieAnswer) => void, onEnd: (error: unknown) => void): void
  end(): Promise<void>
}

/** Start parameters of the thread. */
export interface TrieThreadData {
  /** The data directory, which this process has open. */
  readonly directory: string
  readonly identity: ChainIdentity
}

/** A thread of this process that runs until `end`. */
export function startTrieThread(data: TrieThreadData): TrieThread {
  const worker = new Worker(new URL('./trie-thread.js', import.meta.url), { name: 'state tries', workerData: data })
  return {
    post: (question) => worker.postMessage(question, transferred(question)),
    listen(onAnswer, onEnd) {
      worker.on('message', onAnswer)
      worker.on('error', onEnd)
      worker.on('exit', (code) => onEnd(new Error(`it ended with code ${code}`)))
    },
    async end() {
      await worker.terminate()
    },
  }
}
