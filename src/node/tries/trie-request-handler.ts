import { decodeLayerDiff } from './layer-diff.ts'
import { encodeNodeWrites } from './node-writes-codec.ts'
import type { TrieFollower } from './trie-follower.ts'
import type { TrieRequest, TrieResponse } from './trie-messages.ts'

export interface TrieRequestHandlerDeps {
  readonly post: (response: TrieResponse) => void
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action after pending requests were handled: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
}

/** Milliseconds per piece of a block's nodes: flashblocks have priority. */
const TIME_SLICE_MS = 1

/** Handles requests in order, except the nodes of a block, which take long. Errors become responses. */
export function trieRequestHandler(
  follower: TrieFollower,
  deps: TrieRequestHandlerDeps,
): (request: TrieRequest) => void {
  const { post, now, nextRound } = deps
  return (request) => {
    try {
      response(request)
    } catch (error) {
      // Until the next `begin`, since the trie here differs from the caller's.
      follower.end()
      if ('id' in request) post(unknown(request.id, error))
    }
  }

  function response(request: TrieRequest): void {
    switch (request.kind) {
      case 'begin':
        follower.begin(request.layers.map(decodeLayerDiff))
        post({ kind: 'begun', id: request.id })
        break
      case 'apply': {
        const { root, storageRoots } = follower.apply(request.before, decodeLayerDiff(request.layer))
        post({ kind: 'applied', id: request.id, root, storageRoots: [...storageRoots] })
        break
      }
      case 'prefetch':
        follower.prefetch(request.addresses)
        break
      case 'stored':
        follower.moveOn()
        break
      case 'writes':
        postWrites(request.id, follower.writeSteps(request.before, request.number, request.root))
        break
      case 'end':
        follower.end()
    }
  }

  function postWrites(id: number, steps: ReturnType<TrieFollower['writeSteps']>): void {
    try {
      for (const end = now() + TIME_SLICE_MS; now() < end; ) {
        const step = steps.next()
        if (step.done !== true) continue
        post({ kind: 'writes', id, writes: encodeNodeWrites(step.value) })
        return
      }
      nextRound(() => postWrites(id, steps))
    } catch (error) {
      // The trie may still match: another node may have built a block.
      post(unknown(id, error))
    }
  }
}

function unknown(id: number, error: unknown): TrieResponse {
  return { kind: 'unknown', id, reason: error instanceof Error ? error.message : String(error) }
}
