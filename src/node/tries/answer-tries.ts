import { decodeLayerDiff } from './layer-diff.ts'
import { encodeNodeWrites } from './node-writes-codec.ts'
import type { TrieFollower } from './trie-follower.ts'
import type { TrieAnswer, TrieQuestion } from './trie-messages.ts'

export interface AnswerTriesDeps {
  readonly tell: (answer: TrieAnswer) => void
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Runs an action when what has come in by now was answered: `setImmediate`. */
  readonly nextRound: (action: () => void) => void
}

/** Nodes of a block are made in pieces of so many milliseconds: flashblocks come first. */
const TURN_MS = 1

/** Answers questions in their order, but for the nodes of a block, which take long. What goes wrong is an answer. */
export function answerTries(follower: TrieFollower, deps: AnswerTriesDeps): (question: TrieQuestion) => void {
  const { tell, now, nextRound } = deps
  return (question) => {
    try {
      answer(question)
    } catch (error) {
      // Until it begins again: what is here is not what the other thread has.
      follower.end()
      if ('id' in question) tell(unknown(question.id, error))
    }
  }

  function answer(question: TrieQuestion): void {
    switch (question.kind) {
      case 'begin':
        follower.begin(question.layers.map(decodeLayerDiff))
        tell({ kind: 'begun', id: question.id })
        break
      case 'apply': {
        const { root, storageRoots } = follower.apply(question.before, decodeLayerDiff(question.layer))
        tell({ kind: 'applied', id: question.id, root, storageRoots: [...storageRoots] })
        break
      }
      case 'prefetch':
        follower.prefetch(question.addresses)
        break
      case 'stored':
        follower.moveOn()
        break
      case 'writes':
        tellWrites(question.id, follower.writeSteps(question.before, question.number, question.root))
        break
      case 'end':
        follower.end()
    }
  }

  function tellWrites(id: number, steps: ReturnType<TrieFollower['writeSteps']>): void {
    try {
      for (const end = now() + TURN_MS; now() < end; ) {
        const step = steps.next()
        if (step.done !== true) continue
        tell({ kind: 'writes', id, writes: encodeNodeWrites(step.value) })
        return
      }
      nextRound(() => tellWrites(id, steps))
    } catch (error) {
      // The trie may be right all the same: another node may have made a block.
      tell(unknown(id, error))
    }
  }
}

function unknown(id: number, error: unknown): TrieAnswer {
  return { kind: 'unknown', id, reason: error instanceof Error ? error.message : String(error) }
}
