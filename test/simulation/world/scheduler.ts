import type { Random } from './random.ts'
import type { Trace } from './trace.ts'

/** Whose effects they are: those of a dead process never happen. */
export interface Actor {
  readonly name: string
  readonly isAlive: boolean
  /** Simulated time until which the actor executes nothing. */
  readonly pausedUntil: number
  /** Simulated time until which its node may go on without it: after a long pause, or the end of the node. */
  readonly mayLagUntil?: number
}

interface Effect {
  due: number
  /** Decides between effects that are due at the same time. */
  readonly order: number
  readonly actor: Actor
  readonly label: string
  readonly action: () => void
  isCancelled: boolean
}

/**
 * Owns simulated time and every pending effect: timers, writes, messages. Effects happen one at a time. Between two of
 * them all promise reactions run, so that nothing but the seed decides what comes first.
 */
export class Scheduler {
  readonly #random: Random
  readonly #trace: Trace
  readonly #heap: Effect[] = []
  #now = 0
  #executed = 0

  constructor(deps: { readonly random: Random; readonly trace: Trace }) {
    this.#random = deps.random
    this.#trace = deps.trace
  }

  /** Milliseconds since the start of the simulation. */
  get now(): number {
    return this.#now
  }

  /** Effects that have happened. */
  get executed(): number {
    return this.#executed
  }

  /** Lets `action` happen after a delay. Returns a cancel function. */
  after(delayMs: number, actor: Actor, label: string, action: () => void): () => void {
    const due = this.#now + Math.max(0, delayMs)
    const effect: Effect = { due, order: this.#random.next(), actor, label, action, isCancelled: false }
    this.#push(effect)
    return () => {
      effect.isCancelled = true
    }
  }

  /**
   * Executes the next effect and everything that follows from it without another effect.
   *
   * @returns whether there was one
   */
  async step(): Promise<boolean> {
    const effect = this.#nextReady()
    if (effect === undefined) return false
    this.#now = effect.due
    this.#executed += 1
    this.#trace.effect(effect.due, effect.actor.name, effect.label)
    effect.action()
    await promiseReactions()
    return true
  }

  #nextReady(): Effect | undefined {
    for (;;) {
      const effect = this.#pop()
      if (effect === undefined) return undefined
      if (effect.isCancelled || !effect.actor.isAlive) continue
      const { pausedUntil } = effect.actor
      if (pausedUntil <= effect.due) return effect
      effect.due = pausedUntil
      this.#push(effect)
    }
  }

  #push(effect: Effect): void {
    const heap = this.#heap
    let at = heap.push(effect) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(effect, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = effect
  }

  #pop(): Effect | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      if (left >= heap.length) break
      const child = left + 1 < heap.length && isBefore(heap[left + 1]!, heap[left]!) ? left + 1 : left
      if (!isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
}

function isBefore(one: Effect, other: Effect): boolean {
  return one.due < other.due || (one.due === other.due && one.order < other.order)
}

/** A turn of the real event loop, before which all reactions to settled promises run. */
function promiseReactions(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
