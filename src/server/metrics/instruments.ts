/** A monotonic counter. */
export class Counter {
  value = 0

  add(by = 1): void {
    this.value += by
  }
}

/** A histogram. Observing costs a comparison per bucket below the value and two additions, so hot paths can do it. */
export class Histogram {
  readonly bounds: readonly number[]
  /** Counts per bucket, not cumulative; the last bucket is unbounded. */
  readonly counts: Float64Array
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const { bounds } = this
    let bucket = 0
    while (bucket < bounds.length && value > bounds[bucket]!) bucket += 1
    this.counts[bucket]! += 1
    this.sum += value
  }
}

/** One instrument per combination of label values, in the order of the label names. */
export class Family<Instrument> {
  readonly #make: () => Instrument
  readonly #children = new Map<string, { readonly values: readonly string[]; readonly instrument: Instrument }>()

  constructor(make: () => Instrument) {
    this.#make = make
  }

  /** Created at first use; hot paths hold a reference. */
  of(...values: readonly string[]): Instrument {
    const key = values.join('\0')
    const existing = this.#children.get(key)
    if (existing !== undefined) return existing.instrument
    const instrument = this.#make()
    this.#children.set(key, { values, instrument })
    return instrument
  }

  *[Symbol.iterator](): Iterator<readonly [values: readonly string[], instrument: Instrument]> {
    for (const { values, instrument } of this.#children.values()) yield [values, instrument]
  }
}
