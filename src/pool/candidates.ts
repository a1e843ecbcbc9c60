import { maxFeePerGas, maxPriorityFeePerGas, type PoolTransaction } from '../chain/transaction/transaction.ts'
import type { SenderQueue } from './sender-queue.ts'
import type { PoolEntry } from './types.ts'

/** Order of executable transactions of different senders: by tip, or by arrival. */
export type PoolOrder = 'fees' | 'fifo'

interface Front {
  readonly queue: SenderQueue
  readonly position: number
  readonly entry: PoolEntry
  /** Tip in wei per gas at the block's base fee. */
  readonly tip: bigint
}

interface Options {
  /** Default: by fees. */
  readonly order?: PoolOrder | undefined
  /** Whether a transaction with authorizations has to wait for one of another sender. Default: none has to. */
  readonly mustWait?: ((entry: PoolEntry) => boolean) | undefined
}

/**
 * Executable transactions for a block: by tip and then by arrival, or by arrival alone; by nonce within a sender.
 * Creation takes one pass over the senders, each transaction then O(log senders).
 */
export class Candidates {
  readonly #baseFee: bigint
  readonly #isBetter: (a: Front, b: Front) => boolean
  readonly #mustWait: Options['mustWait']
  readonly #heap: Front[] = []
  #waiting: Front[] = []

  constructor(queues: Iterable<SenderQueue>, baseFee: bigint, { order = 'fees', mustWait }: Options = {}) {
    this.#baseFee = baseFee
    this.#mustWait = mustWait
    this.#isBetter = order === 'fees' ? hasBetterTip : isEarlier
    for (const queue of queues) {
      if (queue.entries[0]?.transaction.nonce === queue.state.nonce) this.#push(queue, 0)
    }
  }

  /** The best transaction; `undefined` when none is left. Unchanged until `accept` or `skipSender`. */
  peek(): PoolTransaction | undefined {
    for (let best = this.#heap[0]; best !== undefined; best = this.#heap[0]) {
      const { entry } = best
      if (entry.authorized.length === 0 || this.#mustWait?.(entry) !== true) return entry.transaction
      this.#pop()
      this.#waiting.push(best)
    }
    return undefined
  }

  /** Call when the best one was included: its sender's next nonce becomes available. */
  accept(): void {
    const front = this.#pop()
    if (front === undefined) return
    const next = front.queue.entries[front.position + 1]
    if (next?.transaction.nonce === front.entry.nextNonce) this.#push(front.queue, front.position + 1)
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    for (const { queue, position } of waiting) this.#push(queue, position)
  }

  /** Skips the best candidate, and with it all later ones of its sender. */
  skipSender(): void {
    this.#pop()
  }

  #push(queue: SenderQueue, position: number): void {
    const entry = queue.entries[position]!
    const tip = tipAt(entry.transaction, this.#baseFee)
    // A fee cap below the base fee blocks the sender's later nonces.
    if (tip < 0n) return
    const heap = this.#heap
    let index = heap.push({ queue, position, entry, tip }) - 1
    while (index > 0) {
      const parent = (index - 1) >>> 1
      if (!this.#isBetter(heap[index]!, heap[parent]!)) break
      swap(heap, index, parent)
      index = parent
    }
  }

  #pop(): Front | undefined {
    const heap = this.#heap
    const best = heap[0]
    const last = heap.pop()
    if (best === undefined || last === undefined || heap.length === 0) return best
    heap[0] = last
    let index = 0
    for (;;) {
      const left = 2 * index + 1
      const right = left + 1
      let top = index
      if (left < heap.length && this.#isBetter(heap[left]!, heap[top]!)) top = left
      if (right < heap.length && this.#isBetter(heap[right]!, heap[top]!)) top = right
      if (top === index) return best
      swap(heap, index, top)
      index = top
    }
  }
}

/** Tip in wei per gas at this base fee; negative when the fee cap is below it. */
export function tipAt(transaction: PoolTransaction, baseFee: bigint): bigint {
  const room = maxFeePerGas(transaction) - baseFee
  const wanted = maxPriorityFeePerGas(transaction)
  return wanted < room ? wanted : room
}

function hasBetterTip(a: Front, b: Front): boolean {
  return a.tip === b.tip ? a.entry.arrival < b.entry.arrival : a.tip > b.tip
}

function isEarlier(a: Front, b: Front): boolean {
  return a.entry.arrival < b.entry.arrival
}

function swap(heap: Front[], a: number, b: number): void {
  const parent = heap[a]!
  heap[a] = heap[b]!
  heap[b] = parent
}
