import { startThread, type ThreadPort } from '../../primitives/threads/thread-port.ts'
import type { ChainIdentity } from '../../state/chain-store/open-chain-database.ts'
import { type TrieRequest, type TrieResponse, transferred } from './trie-messages.ts'

export type TrieThread = ThreadPort<TrieRequest, TrieResponse>

/** Start parameters of the thread. */
export interface TrieThreadData {
  /** The data directory that this process has open. */
  readonly directory: string
  readonly identity: ChainIdentity
}

/** A worker thread that runs until `end`. */
export function startTrieThread(workerData: TrieThreadData): TrieThread {
  return startThread(new URL('./trie-thread.js', import.meta.url), { name: 'state tries', workerData, transferred })
}
