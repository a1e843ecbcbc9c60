import type { Hex, Slot } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { Codec } from './codec.ts'
import { storageKey } from './storage-key.ts'

/** A slot, and its form in the response: 32 bytes if requested so, otherwise a quantity (go-ethereum). */
export interface ProofKey {
  readonly slot: Slot
  readonly written: Hex
}

/** Slots of one eth_getProof, as in go-ethereum. */
export const MAX_PROOF_KEYS = 1_024

const WHOLE = 66

export const proofKey: Codec<ProofKey> = {
  decode(json) {
    const slot = storageKey.decode(json)
    const isWhole = typeof json === 'string' && json.length === WHOLE
    return { slot, written: isWhole ? slot : toQuantity(BigInt(slot)) }
  },
  encode: ({ written }) => written,
  schema: storageKey.schema,
}
