import type { TrieThread, TrieThreadData } from '../../src/node/tries/start-trie-thread.ts'
import { TrieFollower } from '../../src/node/tries/trie-follower.ts'
import type { TrieRequest, TrieResponse } from '../../src/node/tries/trie-messages.ts'
import { trieRequestHandler } from '../../src/node/tries/trie-request-handler.ts'
import { ChainStore } from '../../src/state/chain-store/chain-store.ts'
import { openChainDatabase } from '../../src/state/chain-store/open-chain-database.ts'
import { TrieNodeCache } from '../../src/state/trie/node-cache.ts'

/** Runs the code of the trie thread in this thread, message by message, and records requests and responses. */
export class TrieThreadHere {
  readonly questions: TrieRequest[] = []
  readonly responses: TrieResponse[] = []
  isEnded = false
  #end: () => Promise<void> = async () => {}
  #reported: () => void = () => {}
  /** Replaces the response. */
  change: (response: TrieResponse) => TrieResponse = (response) => response
  readonly #opening: Promise<void>
  #onEnd: (error: unknown) => void = () => {}

  /** @param opening resolves when the thread may open the store */
  constructor(opening: Promise<void> = Promise.resolve()) {
    this.#opening = opening
  }

  fail(error: Error): void {
    this.isEnded = true
    void this.#end()
    this.#onEnd(error)
  }

  /** Resolves after this many responses of a kind. */
  async reported(kind: TrieResponse['kind'], count = 1): Promise<void> {
    while (this.responses.filter((response) => response.kind === kind).length < count) {
      await new Promise<void>((resolve) => {
        this.#reported = resolve
      })
    }
  }

  start({ directory, identity }: TrieThreadData): TrieThread {
    let onResponse: (response: TrieResponse) => void = () => {}
    const opened = this.#opening.then(() => openChainDatabase({ path: directory, identity, readOnly: true }))
    const answering = opened.then((store) => {
      const chain = new ChainStore({ history: 'all', cacheBytes: 0 }, { store })
      const follower = new TrieFollower({ chain, cache: new TrieNodeCache({ bytes: 2 ** 20 }) })
      const tell = (response: TrieResponse) => {
        if (this.isEnded) return
        this.responses.push(response)
        onResponse(structuredClone(this.change(response)))
        this.#reported()
      }
      return {
        follower,
        answer: trieRequestHandler(follower, { post: tell, now: () => performance.now(), nextRound: setImmediate }),
      }
    })
    this.#end = async () => {
      const { follower } = await answering
      follower.end()
      await (await opened).close()
    }
    return {
      post: (request) => {
        const received = structuredClone(request)
        this.questions.push(received)
        void answering.then(({ answer: response }) => {
          if (!this.isEnded) response(received)
        })
      },
      listen: (tell, onEnd) => {
        onResponse = tell
        this.#onEnd = onEnd
      },
      end: async () => {
        if (this.isEnded) return
        this.isEnded = true
        await this.#end()
      },
    }
  }
}
