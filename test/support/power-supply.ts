export class PowerOffError extends Error {
  override readonly name = 'PowerOffError'
  readonly code = 'EIO'
}

/** Lets tests cut the power of all doubles of disk and database at once, at any of their sync points. */
export class PowerSupply {
  #points = 0
  #cutAt = Number.POSITIVE_INFINITY
  #isOn = true
  #cutsByKind: Record<string, number> = {}

  /** How often the power went at each kind of sync point. */
  get cutsByKind(): Readonly<Record<string, number>> {
    return this.#cutsByKind
  }

  /** How many sync points were passed. */
  get points(): number {
    return this.#points
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** Cuts when `count` further sync points were passed: 0 cuts at the next one, before it has had its effect. */
  cutAfter(count: number): void {
    this.#cutAt = this.#points + count
  }

  cut(): void {
    this.#isOn = false
  }

  restore(): void {
    this.#isOn = true
    this.#cutAt = Number.POSITIVE_INFINITY
  }

  /** @throws PowerOffError */
  assertOn(): void {
    if (!this.#isOn) throw new PowerOffError('the power is off')
  }

  /** Every sync of a double passes here, before it has its effect; `kind` says what is synced. */
  syncPoint(kind: string): void {
    this.assertOn()
    if (this.#points >= this.#cutAt) {
      this.#cutsByKind = { ...this.#cutsByKind, [kind]: (this.#cutsByKind[kind] ?? 0) + 1 }
      this.cut()
    } else this.#points += 1
    this.assertOn()
  }
}
