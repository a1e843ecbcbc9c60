import type { Address, Bytes, Hash, Slot } from '../../src/primitives/hex.ts'
import type { Account } from '../../src/state/account.ts'
import { MissingStateError } from '../../src/state/missing-state.ts'
import type { StateReader } from '../../src/state/state-reader.ts'

/** A state whose every value is loaded at its first read, in a later turn of the event loop. */
export class LazyState implements StateReader {
  readonly #base: StateReader
  readonly #loaded = new Set<string>()
  /** What was loaded, in order. */
  readonly loads: string[] = []
  /** Fails the next load. */
  failure: Error | undefined

  constructor(base: StateReader) {
    this.#base = base
  }

  account(address: Address): Account | undefined {
    this.#assertLoaded(`account ${address}`)
    return this.#base.account(address)
  }

  storage(address: Address, slot: Slot): bigint {
    this.#assertLoaded(`slot ${address} ${slot}`)
    return this.#base.storage(address, slot)
  }

  hasStorage(address: Address): boolean {
    this.#assertLoaded(`storage ${address}`)
    return this.#base.hasStorage(address)
  }

  code(hash: Hash): Bytes {
    this.#assertLoaded(`code ${hash}`)
    return this.#base.code(hash)
  }

  blockHash(number: number): Hash {
    this.#assertLoaded(`hash ${number}`)
    return this.#base.blockHash(number)
  }

  #assertLoaded(subject: string): void {
    if (this.#loaded.has(subject)) return
    throw new MissingStateError(subject, async () => {
      await new Promise((resolve) => setImmediate(resolve))
      if (this.failure !== undefined) throw this.failure
      this.#loaded.add(subject)
      this.loads.push(subject)
    })
  }
}
