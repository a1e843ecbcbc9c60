import fc from 'fast-check'
import {
  type Address,
  type Bytes,
  EMPTY_BYTES,
  type Hash,
  type Slot,
  toAddress,
  toSlot,
} from '../../src/primitives/hex.ts'
import { EMPTY_CODE_HASH, keccakHash } from '../../src/primitives/keccak.ts'
import { bigintToSlot, MAX_UINT64, MAX_UINT256 } from '../../src/primitives/quantity.ts'
import type { Account } from '../../src/state/account.ts'
import type { AccountChange, StateDiff } from '../../src/state/state-diff.ts'

export const ADDRESSES = [1, 2, 3, 4, 5].map((n) => toAddress(`0x${n.toString(16).padStart(40, '0')}`))
export const SLOTS = [0n, 1n, 2n, 3n].map(bigintToSlot)
export const CODES: readonly Bytes[] = [new Uint8Array([1]), new Uint8Array([2, 3])]

export const words = fc.oneof(
  { weight: 2, arbitrary: fc.bigInt({ min: 0n, max: 2n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: MAX_UINT256 }) },
)

export const accounts: fc.Arbitrary<Account> = fc.record({
  nonce: fc.oneof(fc.constant(1n), fc.bigInt({ min: 0n, max: MAX_UINT64 })),
  balance: words,
  codeHash: fc.constantFrom(EMPTY_CODE_HASH, ...CODES.map(keccakHash)),
})

const changes = fc.record({
  account: fc.option(accounts, { nil: undefined, freq: 4 }),
  isCleared: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  slots: fc.dictionary(fc.constantFrom(...SLOTS), words, { maxKeys: 4 }),
})

/** Diffs over few addresses and slots, so that they overlap often. */
export const stateDiffs: fc.Arbitrary<StateDiff> = fc
  .tuple(fc.dictionary(fc.constantFrom(...ADDRESSES), changes, { maxKeys: 5 }), fc.subarray([...CODES]))
  .map(([record, codes]) => {
    const accountChanges = new Map<Address, AccountChange>()
    const storage = new Map<Address, ReadonlyMap<Slot, bigint>>()
    for (const [key, { account, isCleared, slots }] of Object.entries(record)) {
      const address = toAddress(key)
      accountChanges.set(address, { account, storageCleared: isCleared || account === undefined })
      const entries = Object.entries(slots).map(([slot, value]) => [toSlot(slot), value] as const)
      if (account !== undefined && entries.length > 0) storage.set(address, new Map(entries))
    }
    return { accounts: accountChanges, storage, code: new Map(codes.map((code) => [keccakHash(code), code])) }
  })

interface Contents {
  readonly account: Account
  /** Non-zero slots. */
  readonly storage: ReadonlyMap<Slot, bigint>
}

/** A reference state without optimisation; every change copies everything. */
export class NaiveState {
  readonly contents: ReadonlyMap<Address, Contents>
  readonly codes: ReadonlyMap<Hash, Bytes>

  constructor(contents: ReadonlyMap<Address, Contents> = new Map(), codes: ReadonlyMap<Hash, Bytes> = new Map()) {
    this.contents = contents
    this.codes = codes
  }

  account(address: Address): Account | undefined {
    return this.contents.get(address)?.account
  }

  storage(address: Address, slot: Slot): bigint {
    return this.contents.get(address)?.storage.get(slot) ?? 0n
  }

  hasStorage(address: Address): boolean {
    return (this.contents.get(address)?.storage.size ?? 0) > 0
  }

  code(hash: Hash): Bytes {
    return this.codes.get(hash) ?? EMPTY_BYTES
  }

  blockHash(number: number): Hash {
    return bigintToSlot(BigInt(number)) as string as Hash
  }

  with(address: Address, account: Account | undefined, storage = this.contents.get(address)?.storage): NaiveState {
    const contents = new Map(this.contents)
    if (account === undefined) contents.delete(address)
    else contents.set(address, { account, storage: storage ?? new Map() })
    return new NaiveState(contents, this.codes)
  }

  withSlot(address: Address, slot: Slot, value: bigint): NaiveState {
    const storage = new Map(this.contents.get(address)?.storage)
    if (value === 0n) storage.delete(slot)
    else storage.set(slot, value)
    return this.with(address, this.account(address), storage)
  }

  withCode(code: Bytes): NaiveState {
    return new NaiveState(this.contents, new Map([...this.codes, [keccakHash(code), code]]))
  }

  after(diff: StateDiff): NaiveState {
    let state: NaiveState = this
    for (const code of diff.code.values()) state = state.withCode(code)
    for (const [address, { account, storageCleared }] of diff.accounts) {
      state = storageCleared ? state.with(address, account, new Map()) : state.with(address, account)
      for (const [slot, value] of diff.storage.get(address) ?? []) state = state.withSlot(address, slot, value)
    }
    return state
  }
}

/** All values of a state at the addresses, slots and codes above, for comparison. */
export function everythingIn(state: Pick<NaiveState, 'account' | 'storage' | 'code'>) {
  return {
    accounts: ADDRESSES.map((address) => state.account(address)),
    storage: ADDRESSES.map((address) => SLOTS.map((slot) => state.storage(address, slot))),
    codes: CODES.map((code) => [...state.code(keccakHash(code))]),
  }
}

/** The states after each of `diffs`. */
export function statesAfter(diffs: readonly StateDiff[]): readonly NaiveState[] {
  const states: NaiveState[] = []
  for (const diff of diffs) states.push((states.at(-1) ?? new NaiveState()).after(diff))
  return states
}

/** All values except code, which is visible at every height by its hash. */
export function withoutCode(state: Parameters<typeof everythingIn>[0]) {
  return { ...everythingIn(state), codes: [] }
}

/** One account with this balance and this value in one slot. */
export function touching(value: bigint): StateDiff {
  const [address] = ADDRESSES
  return {
    accounts: new Map([
      [address!, { account: { nonce: 1n, balance: value, codeHash: EMPTY_CODE_HASH }, storageCleared: false }],
    ]),
    storage: new Map([[address!, new Map([[SLOTS[0]!, value]])]]),
    code: new Map(),
  }
}
