import { answerTries } from '../../src/node/tries/answer-tries.ts'
import type { TrieThread, TrieThreadData } from '../../src/node/tries/start-trie-thread.ts'
import { TrieFollower } from '../../src/node/tries/trie-follower.ts'
import type { TrieAnswer, TrieQuestion } from '../../src/node/tries/trie-messages.ts'
import { ChainStore } from '../../src/state/chain-store/chain-store.ts'
import { openChainDatabase } from '../../src/state/chain-store/open-chain-database.ts'
import { TrieNodeCache } from '../../src/state/trie/node-cache.ts'

/** What a thread with the tries runs, here, message by message, with all that was asked and answered. */
export class TrieThreadHere {
  readonly questions: TrieQuestion[] = []
  readonly answers: TrieAnswer[] = []
  isEnded = false
  #end: () => Promise<void> = async () => {}
  #told: () => void = () => {}
  /** In place of its answer. */
  change: (answer: TrieAnswer) => TrieAnswer = (answer) => answer
  readonly #opening: Promise<void>
  #onEnd: (error: unknown) => void = () => {}

  /** @param opening settles when it may open the store */
  constructor(opening: Promise<void> = Promise.resolve()) {
    this.#opening = opening
  }

  fail(error: Error): void {
    this.isEnded = true
    void this.#end()
    this.#onEnd(error)
  }

  /** Settles when so many answers of a kind were told. */
  async told(kind: TrieAnswer['kind'], count = 1): Promise<void> {
    while (this.answers.filter((answer) => answer.kind === kind).length < count) {
      await new Promise<void>((resolve) => {
        this.#told = resolve
      })
    }
  }

  start({ directory, identity }: TrieThreadData): TrieThread {
    let onAnswer: (answer: TrieAnswer) => void = () => {}
    const opened = this.#opening.then(() => openChainDatabase({ path: directory, identity, readOnly: true }))
    const answering = opened.then((store) => {
      const chain = new ChainStore({ history: 'all', cacheBytes: 0 }, { store })
      const follower = new TrieFollower({ chain, cache: new TrieNodeCache({ bytes: 2 ** 20 }) })
      const tell = (answer: TrieAnswer) => {
        if (this.isEnded) return
        this.answers.push(answer)
        onAnswer(structuredClone(this.change(answer)))
        this.#told()
      }
      return {
        follower,
        answer: answerTries(follower, { tell, now: () => performance.now(), nextRound: setImmediate }),
      }
    })
    this.#end = async () => {
      const { follower } = await answering
      follower.end()
      await (await opened).close()
    }
    return {
      post: (question) => {
        const received = structuredClone(question)
        this.questions.push(received)
        void answering.then(({ answer }) => {
          if (!this.isEnded) answer(received)
        })
      },
      listen: (tell, onEnd) => {
        onAnswer = tell
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
