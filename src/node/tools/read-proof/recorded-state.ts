import type { Header } from '../../../chain/block/header.ts'
import { CodedError } from '../../../primitives/coded-error.ts'
import { type Address, type Bytes, EMPTY_BYTES, type Hash, type Slot } from '../../../primitives/hex.ts'
import type { Account } from '../../../state/account.ts'
import type { StateReader } from '../../../state/state-reader.ts'
import type { StateTrie } from '../../../state/trie/state-trie.ts'

/** An account, its code and the slots that were read, with Merkle proofs under the state root (EIP-1186). */
export interface AccountProof {
  readonly address: Address
  /** Nodes from the root to the account, or to where its absence shows. */
  readonly proof: readonly Bytes[]
  /** Empty without code. */
  readonly code: Bytes
  /** Slots in ascending order. */
  readonly storage: readonly SlotProof[]
}

export interface SlotProof {
  readonly slot: Slot
  readonly value: bigint
  readonly proof: readonly Bytes[]
}

/** A read of the hash of an earlier block, which the header does not prove. */
export class UnprovenRead extends CodedError<'UNPROVEN_READ'> {
  override readonly name = 'UnprovenRead'
}

/** The state after a block that notes which accounts and slots are read. */
export class RecordedState implements StateReader {
  readonly #state: StateReader
  readonly #header: Header
  readonly #slots = new Map<Address, Set<Slot>>()

  /** @param header of the block after which the state is read */
  constructor(state: StateReader, header: Header) {
    this.#state = state
    this.#header = header
  }

  account(address: Address): Account | undefined {
    this.#slotsOf(address)
    return this.#state.account(address)
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
    return this.#state.code(hash)
  }

  /** @throws UnprovenRead for other blocks than the parent, whose hash the header has */
  blockHash(number: number): Hash {
    if (number === this.#header.number - 1) return this.#header.parentHash
    throw new UnprovenRead('UNPROVEN_READ', `the hash of block ${number} cannot be proven by a later header`)
  }

  /** Proofs of everything that was read so far, in ascending order of addresses. */
  proofs(trie: StateTrie): readonly AccountProof[] {
    return [...this.#slots].sort(byKey).map(([address, slots]) => {
      const account = this.#state.account(address)
      return {
        address,
        proof: trie.accountProof(address),
        code: account === undefined ? EMPTY_BYTES : this.#state.code(account.codeHash),
        storage: [...slots].sort().map((slot) => ({
          slot,
          value: this.#state.storage(address, slot),
          proof: trie.storageProof(address, slot),
        })),
      }
    })
  }

  #slotsOf(address: Address): Set<Slot> {
    let slots = this.#slots.get(address)
    if (slots === undefined) {
      slots = new Set()
      this.#slots.set(address, slots)
    }
    return slots
  }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
