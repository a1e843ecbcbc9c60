import { type Address, type Bytes, type Hash, hexToBytes, type Slot } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import type { Account } from '../../state/account.ts'
import type { StateReader } from '../../state/state-reader.ts'

/** A state that records what is read of it. */
export class RecordingState implements StateReader {
  /** The slots that were read of each account that was read. */
  readonly reads = new Map<Address, Set<Slot>>()
  /** By hash. */
  readonly codes = new Map<Hash, Bytes>()
  readonly #state: StateReader
  readonly #onCode: (code: Bytes) => void
  /** Code hashes of the accounts that were read. */
  readonly #codeHashes = new Set<Hash>()
  #oldestBlock = Number.POSITIVE_INFINITY

  /** @param onCode called with each code when it is first read */
  constructor(state: StateReader, { onCode }: { readonly onCode: (code: Bytes) => void }) {
    this.#state = state
    this.#onCode = onCode
  }

  /** The lowest block whose hash was read; `Infinity`: none. */
  get oldestBlock(): number {
    return this.#oldestBlock
  }

  account(address: Address): Account | undefined {
    this.#slotsOf(address)
    const account = this.#state.account(address)
    if (account !== undefined) this.#codeHashes.add(account.codeHash)
    return account
  }

  storage(address: Address, slot: Slot): bigint {
    this.#slotsOf(address).add(slot)
    return this.#state.storage(address, slot)
  }

  hasStorage(address: Address): boolean {
    this.#slotsOf(address)
    return this.#state.hasStorage(address)
  }

  code(hash: Hash): Bytes {
    const code = this.codes.get(hash) ?? this.#state.code(hash)
    if (hash !== EMPTY_CODE_HASH && !this.codes.has(hash)) {
      this.codes.set(hash, code)
      this.#onCode(code)
    }
    return code
  }

  blockHash(number: number): Hash {
    this.#oldestBlock = Math.min(this.#oldestBlock, number)
    return this.#state.blockHash(number)
  }

  /**
   * Records the codes of accounts that a block deploys anew: the session has them already when the account runs, while
   * another client reads them from the state.
   */
  recordDeployed(deployed: Iterable<Hash>): void {
    for (const hash of deployed) if (this.#codeHashes.has(hash)) this.code(hash)
  }

  /** Addresses and slots that were read, each once. */
  keys(): readonly Bytes[] {
    const keys = new Set<Address | Slot>(this.reads.keys())
    for (const slots of this.reads.values()) for (const slot of slots) keys.add(slot)
    return [...keys].map(hexToBytes)
  }

  #slotsOf(address: Address): Set<Slot> {
    let slots = this.reads.get(address)
    if (slots === undefined) {
      slots = new Set()
      this.reads.set(address, slots)
    }
    return slots
  }
}
