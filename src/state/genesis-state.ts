import type { GenesisAccount } from '../chain/predeploys/predeploy.ts'
import type { Address, Bytes, Hash, Slot } from '../primitives/hex.ts'
import { EMPTY_CODE_HASH, keccakHash } from '../primitives/keccak.ts'
import type { AccountChange, StateDiff } from './state-diff.ts'

/**
 * The genesis accounts as a diff on the empty state.
 *
 * @example createStateTrie().apply(genesisDiff(genesis.alloc)).root
 */
export function genesisDiff(alloc: ReadonlyMap<Address, GenesisAccount>): StateDiff {
  const accounts = new Map<Address, AccountChange>()
  const storage = new Map<Address, ReadonlyMap<Slot, bigint>>()
  const code = new Map<Hash, Bytes>()
  for (const [address, { nonce, balance, code: bytes, storage: slots }] of alloc) {
    const codeHash = bytes.length === 0 ? EMPTY_CODE_HASH : keccakHash(bytes)
    if (bytes.length > 0) code.set(codeHash, bytes)
    accounts.set(address, Object.freeze({ account: { nonce, balance, codeHash }, storageCleared: false }))
    if (slots.size > 0) storage.set(address, slots)
  }
  return Object.freeze({ accounts, storage, code })
}
