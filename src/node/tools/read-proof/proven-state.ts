import type { Header } from '../../../chain/block/header.ts'
import { hashHeader } from '../../../chain/block/header-codec.ts'
import type { Bytes, Hash } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import { openStateTrie, type StateTrie } from '../../../state/trie/state-trie.ts'
import { WitnessState } from '../witness/witness-state.ts'
import { type AccountProof, RecordedState } from './recorded-state.ts'

export interface ProvenState {
  /** Throws WitnessError WITNESS_INCOMPLETE at a read that the proofs do not show. */
  readonly state: RecordedState
  readonly trie: StateTrie
}

/** The part of the state after a block that proofs show; each node and code counts by its hash only. */
export function provenState(header: Header, accounts: readonly AccountProof[]): ProvenState {
  const nodes = accounts.flatMap(({ proof, storage }) => [...proof, ...storage.flatMap((slot) => slot.proof)])
  const state = new WitnessState({
    parent: { header, hash: hashHeader(header) },
    codes: byHash(accounts.map(({ code }) => code)),
    nodes: byHash(nodes),
  })
  return { state: new RecordedState(state, header), trie: openStateTrie(header.stateRoot, state) }
}

function byHash(preimages: readonly Bytes[]): ReadonlyMap<Hash, Bytes> {
  return new Map(preimages.map((bytes) => [keccakHash(bytes), bytes]))
}
