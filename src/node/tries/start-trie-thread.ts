import { Worker } from 'node:worker_threads'
import type { ChainIdentity } from '../../state/chain-store/open-chain-database.ts'
import { type TrieRequest, type TrieResponse, transferred } from './trie-messages.ts'

/** The interface to the trie thread. */
export interface TrieThread {
  post(request: TrieRequest): void
  /** `onResponse` receives each response; `onEnd` is called once when the thread ends. */
  listen(onResponse: (response: TrieResponse) => void, onEnd: (error: unknown) => void): void
  end(): Promise<void>
}

/** Start parameters of the thread. */
export interface TrieThreadData {
  /** The data directory that this process has open. */
  readonly directory: string
  readonly identity: ChainIdentity
}

/** A worker thread that runs until `end`. */
export function startTrieThread(data: TrieThreadData): TrieThread {
  const worker = new Worker(new URL('./trie-thread.js', import.meta.url), { name: 'state tries', workerData: data })
  return {
    post: (request) => worker.postMessage(request, transferred(request)),
    listen(onResponse, onEnd) {
      worker.on('message', onResponse)
      worker.on('error', onEnd)
      worker.on('exit', (code) => onEnd(new Error(`it ended with code ${code}`)))
    },
    async end() {
      await worker.terminate()
    },
  }
}
