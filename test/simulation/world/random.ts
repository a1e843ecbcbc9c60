import { seededRandom } from '../../support/seeded-random.ts'

/** Draws of a simulation: the same seed gives the same draws. */
export class Random {
  readonly next: () => number

  constructor(seed: number) {
    this.next = seededRandom(seed)
  }

  /** An independent sequence, so that additional draws of one part leave those of the others as they are. */
  fork(): Random {
    return new Random(this.integer(2 ** 32))
  }

  /** A whole number from 0, below `end`. */
  integer(end: number): number {
    return Math.floor(this.next() * end)
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low)
  }

  isHit(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(items.length)]!
  }

  bytes(size: number): Buffer {
    return Buffer.from(Array.from({ length: size }, () => this.integer(256)))
  }

  /** A delay with the given median, rarely many times as long. */
  delay(medianMs: number): number {
    return medianMs * (0.5 + this.next()) * (this.isHit(0.02) ? this.between(5, 50) : 1)
  }
}
