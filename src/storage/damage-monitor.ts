import type { StorageError } from './storage-error.ts'

/** What is known about damage to a database that is open. */
export interface StoreDamage {
  /** Tables of which some reads fail. */
  readonly tables: ReadonlySet<string>
  /** Why nothing can be committed any more. */
  readonly failure: StorageError | undefined
}

/** Collects damage as it is found, and notifies listeners of each change. */
export class DamageMonitor implements StoreDamage {
  readonly #tables = new Set<string>()
  readonly #listeners = new Set<(damage: StoreDamage) => void>()
  #failure: StorageError | undefined

  get tables(): ReadonlySet<string> {
    return this.#tables
  }

  get failure(): StorageError | undefined {
    return this.#failure
  }

  /** Calls the listener at each change, and at once if there is damage. @returns ends it */
  listen(listener: (damage: StoreDamage) => void): () => void {
    this.#listeners.add(listener)
    if (this.#tables.size > 0 || this.#failure !== undefined) listener(this)
    return () => this.#listeners.delete(listener)
  }

  /** Some reads of a table fail. */
  add(table: string): void {
    if (this.#tables.has(table)) return
    this.#tables.add(table)
    this.#notify()
  }

  fail(error: StorageError): void {
    if (this.#failure !== undefined) return
    this.#failure = error
    this.#notify()
  }

  #notify(): void {
    for (const listener of this.#listeners) listener(this)
  }
}
