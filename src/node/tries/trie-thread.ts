import { parentPort, workerData } from 'node:worker_threads'
import { receiveMessages } from '../../primitives/threads/thread-port.ts'
import { ChainStore } from '../../state/chain-store/chain-store.ts'
import { openChainDatabase } from '../../state/chain-store/open-chain-database.ts'
import { TrieNodeCache } from '../../state/trie/node-cache.ts'
import { systemClock } from '../core/clock.ts'
import type { TrieThreadData } from './start-trie-thread.ts'
import { TrieFollower } from './trie-follower.ts'
import { TRIE_CACHE_BYTES, type TrieRequest, transferred } from './trie-messages.ts'
import { trieRequestHandler } from './trie-request-handler.ts'

const { directory, identity } = workerData as TrieThreadData
const store = await openChainDatabase({ path: directory, identity, readOnly: true })
const follower = new TrieFollower({
  // Blocks are read for their headers only.
  chain: new ChainStore({ history: 'all', cacheBytes: 0 }, { store }),
  cache: new TrieNodeCache({ bytes: TRIE_CACHE_BYTES }),
})
const response = trieRequestHandler(follower, {
  post: (emitted) => parentPort!.postMessage(emitted, transferred(emitted)),
  now: systemClock.monotonic,
  nextRound: setImmediate,
})
receiveMessages((request: TrieRequest) => response(request))
