import { readBytes, readList } from '../../../chain/rlp-fields.ts'
import type { Bytes } from '../../../primitives/hex.ts'
import { encodeRlp, type RlpItem } from '../../../primitives/rlp.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import { CorruptValueError, readChecked, withChecksum } from './checked-value.ts'
import { blockKey } from './keys.ts'
import type { TableName } from './tables.ts'

/** A key of a flat table and its value before the block; empty if absent. */
export type ChangedValue = readonly [key: Bytes, before: Bytes]

/** State changes of a block, with the values before it, for unwinding, proofs of older blocks and pruning. */
export interface ChangeSet {
  readonly accounts: readonly ChangedValue[]
  /** Keys are address and slot. */
  readonly storage: readonly ChangedValue[]
  /** Hashes of code that was not stored before. */
  readonly code: readonly Bytes[]
}

export const ADDRESS_BYTES = 20

/** The value of a block that leaves the state as it is. */
export const NO_CHANGES = withChecksum(encodeRlp([[], [], []]))

export function encodeChanges({ accounts, storage, code }: ChangeSet): Bytes {
  if (accounts.length + storage.length + code.length === 0) return NO_CHANGES
  // Slots of an account are adjacent: its address is written once.
  const byAddress: { readonly address: Bytes; readonly slots: RlpItem[] }[] = []
  for (const [key, before] of storage) {
    const address = key.subarray(0, ADDRESS_BYTES)
    const slot = [key.subarray(ADDRESS_BYTES), before]
    const last = byAddress.at(-1)
    if (last !== undefined && Buffer.compare(last.address, address) === 0) last.slots.push(slot)
    else byAddress.push({ address, slots: [slot] })
  }
  return withChecksum(encodeRlp([accounts, byAddress.map(({ address, slots }) => [address, slots]), code]))
}

/** @throws CorruptValueError also when there are none: every block except genesis has them until they are pruned */
export function readChanges(reader: KeyValueReader<TableName>, number: number): ChangeSet {
  const item = readChecked(reader, 'changes', blockKey(number))
  if (item === undefined) throw new CorruptValueError('changes', blockKey(number), 'is missing')
  const [accounts, storage, code] = readList(item, 'changes of a block', [3])
  return {
    accounts: readList(accounts, 'changed accounts').map(readChangedValue),
    storage: readList(storage, 'changed storage').flatMap((entry) => {
      const [address, slots] = readList(entry, 'changed storage of an account', [2])
      const front = readBytes(address, 'address', ADDRESS_BYTES)
      return readList(slots, 'changed slots').map((slot): ChangedValue => {
        const [key, before] = readChangedValue(slot)
        return [Buffer.concat([front, key]), before]
      })
    }),
    code: readList(code, 'new code').map((hash) => readBytes(hash, 'code hash', 32)),
  }
}

function readChangedValue(item: RlpItem): ChangedValue {
  const [key, before] = readList(item, 'a changed value', [2])
  return [readBytes(key, 'key'), readBytes(before, 'value before')]
}
