import {
  readAddress,
  readBoolean,
  readBytes,
  readHash,
  readList,
  readUint64,
  readUint256,
} from '../../chain/rlp-fields.ts'
import { type Address, type Bytes, type Hash, type Slot, slotOfHash } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import type { RlpItem, RlpSource } from '../../primitives/rlp.ts'
import type { Account } from '../account.ts'
import type { AccountChange, StateDiff } from '../state-diff.ts'

/** An empty list for an absent account. */
function accountItem(account: Account | undefined): RlpSource {
  if (account === undefined) return []
  return [account.nonce, account.balance, account.codeHash]
}

/** @throws RlpError */
function readAccount(item: RlpItem | undefined): Account | undefined {
  const list = readList(item, 'an account', [0, 3])
  if (list.length === 0) return undefined
  const [nonce, balance, codeHash] = list
  return {
    nonce: readUint64(nonce, 'nonce'),
    balance: readUint256(balance, 'balance'),
    codeHash: readHash(codeHash, 'codeHash'),
  }
}

/** A diff; code comes without its hash, which derives from it. */
export function diffItem(diff: StateDiff): RlpSource {
  return [
    [...diff.accounts].map(([address, { account, storageCleared }]) => [
      address,
      accountItem(account),
      storageCleared ? 1 : 0,
    ]),
    [...diff.storage].map(([address, slots]) => [address, [...slots].map(([slot, value]) => [slot, value])]),
    [...diff.code.values()],
  ]
}

/** @throws RlpError */
export function readDiff(item: RlpItem | undefined): StateDiff {
  const [accountItems, storageItems, codeItems] = readList(item, 'a state diff', [3])
  const accounts = new Map<Address, AccountChange>()
  const storage = new Map<Address, ReadonlyMap<Slot, bigint>>()
  const code = new Map<Hash, Bytes>()
  for (const entry of readList(accountItems, 'changed accounts')) {
    const [address, account, cleared] = readList(entry, 'a changed account', [3])
    const change = { account: readAccount(account), storageCleared: readBoolean(cleared, 'storageCleared') }
    accounts.set(readAddress(address, 'address'), Object.freeze(change))
  }
  for (const entry of readList(storageItems, 'changed storage')) {
    const [address, slotItems] = readList(entry, 'changed storage of an account', [2])
    const slots = new Map<Slot, bigint>()
    for (const slotItem of readList(slotItems, 'changed slots')) {
      const [slot, value] = readList(slotItem, 'a changed slot', [2])
      slots.set(slotOfHash(readHash(slot, 'slot')), readUint256(value, 'value'))
    }
    storage.set(readAddress(address, 'address'), slots)
  }
  for (const entry of readList(codeItems, 'new code')) {
    const bytes = readBytes(entry, 'code')
    code.set(keccakHash(bytes), bytes)
  }
  return Object.freeze({ accounts, storage, code })
}
