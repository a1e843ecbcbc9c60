/** Statistics of amounts of gas. */
export interface GasStatistics {
  readonly min: number
  /** Rounded to the nearest integer. */
  readonly mean: number
  /** Of an even count the mean of the two in the middle, rounded. */
  readonly median: number
  readonly max: number
}

export type AmountCount = readonly [gas: number, count: number]

/** Memory of one distinct amount. */
const AMOUNT_BYTES = 32

/** Amounts of gas, each with how often it was used. */
export class GasAmounts {
  readonly #counts = new Map<number, number>()
  #count = 0

  /** @param list each amount with how often it was used */
  static of(list: readonly AmountCount[]): GasAmounts {
    const amounts = new GasAmounts()
    for (const [gas, count] of list) amounts.#counts.set(gas, count)
    amounts.#count = list.reduce((sum, [, count]) => sum + count, 0)
    return amounts
  }

  /** Each amount with how often it was used. */
  list(): readonly AmountCount[] {
    return [...this.#counts]
  }

  get count(): number {
    return this.#count
  }

  /** @param budget pays for an amount that is new */
  add(gas: number, budget: { spend(bytes: number): void }): void {
    const before = this.#counts.get(gas)
    if (before === undefined) budget.spend(AMOUNT_BYTES)
    this.#counts.set(gas, (before ?? 0) + 1)
    this.#count += 1
  }

  /** The amounts of both. */
  joined(other: GasAmounts): GasAmounts {
    const both = new GasAmounts()
    for (const [gas, count] of [...this.#counts, ...other.#counts]) {
      both.#counts.set(gas, (both.#counts.get(gas) ?? 0) + count)
      both.#count += count
    }
    return both
  }

  /** `undefined`: there are none. */
  statistics(): GasStatistics | undefined {
    if (this.#count === 0) return undefined
    const sorted = [...this.#counts].sort(([a], [b]) => a - b)
    const sum = sorted.reduce((total, [gas, count]) => total + gas * count, 0)
    const at = (position: number): number => {
      let passed = 0
      return sorted.find(([, count]) => {
        passed += count
        return position < passed
      })![0]
    }
    const middle = (this.#count - 1) / 2
    return {
      min: sorted[0]![0],
      mean: Math.round(sum / this.#count),
      median: Math.round((at(Math.floor(middle)) + at(Math.ceil(middle))) / 2),
      max: sorted.at(-1)![0],
    }
  }
}
