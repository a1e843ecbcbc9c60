export class PowerOffError extends Error {
  override readonly name = 'PowerOffError'
  readonly code = 'EIO'
}

/** Cuts the power of all disk and database doubles at once, at any sync point. */
export class PowerSupply {
  #points = 0
  #cutAt = Number.POSITIVE_INFINITY
  #isOn = true
  #cutsByKind: Record<string, number> = {}

  /** Number of power cuts by kind of sync point. */
  get cutsByKind(): Readonly<Record<string, number>> {
    return this.#cutsByKind
  }

  /** Number of sync points passed. */
  get points(): number {
    return this.#points
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** Cuts the power after `count` further sync points; 0: at the next one, before it takes effect. */
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

  /** Called by every double before a sync takes effect; `kind` describes the sync. */
  syncPoint(kind: string): void {
    this.assertOn()
    if (this.#points >= this.#cutAt) {
      this.#cutsByKind = { ...this.#cutsByKind, [kind]: (this.#cutsByKind[kind] ?? 0) + 1 }
      this.cut()
    } else this.#points += 1
    this.assertOn()
  }
}
