import type { Address, Hash, Slot } from '../../src/primitives/hex.ts'
import type { StateReader } from '../../src/state/state-reader.ts'

export class NotHereYet extends Error {}

/** A reader that returns an item only after a first failed attempt. */
export class SlowReader implements StateReader {
  readonly #state: StateReader
  readonly #known = new Set<string>()

  constructor(state: StateReader) {
    this.#state = state
  }

  account(address: Address) {
    this.#request(address)
    return this.#state.account(address)
  }

  storage(address: Address, slot: Slot) {
    this.#request(address + slot)
    return this.#state.storage(address, slot)
  }

  hasStorage(address: Address) {
    this.#request(`slots of ${address}`)
    return this.#state.hasStorage(address)
  }

  code(hash: Hash) {
    this.#request(hash)
    return this.#state.code(hash)
  }

  blockHash(number: number) {
    this.#request(String(number))
    return this.#state.blockHash(number)
  }

  #request(item: string): void {
    if (this.#known.has(item)) return
    this.#known.add(item)
    throw new NotHereYet(item)
  }
}
