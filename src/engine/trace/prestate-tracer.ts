import { type Address, type Bytes, EMPTY_BYTES, type Hash, type Slot } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import { bigintToSlot, wordToAddress } from '../../primitives/quantity.ts'
import type { Account } from '../../state/account.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { Message } from '../interpreter.ts'
import type { FrameStart, Tracer, TraceStep } from '../tracer.ts'
import { delegationOf } from '../transaction/delegation.ts'
import type { TraceBudget } from './trace-budget.ts'

export interface PrestateTracerOptions {
  /** Returns the changes, before and after, instead of everything read. */
  readonly diffMode?: boolean
  readonly disableCode?: boolean
  readonly disableStorage?: boolean
  /** Includes accounts that did not exist. */
  readonly includeEmpty?: boolean
}

/** Known members of an account; in the post state only changed ones. */
export interface TracedAccount {
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly codeHash?: Hash
  readonly code?: Bytes
  readonly storage: ReadonlyMap<Slot, bigint>
}

export interface Prestate {
  readonly pre: ReadonlyMap<Address, TracedAccount>
  /** With `diffMode`. */
  readonly post?: ReadonlyMap<Address, TracedAccount>
}

/** State access around a message. */
export interface StateChange {
  readonly before: StateReader
  readonly diff: StateDiff
}

interface PrestateTracerDeps {
  readonly budget: TraceBudget
  readonly coinbase: Address
  /** The state in the middle of the message. */
  readonly state: StateReader
}

const SLOAD = 0x54
const SSTORE = 0x55
/** BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, SELFDESTRUCT: an address is on top of the stack. */
const LOOKS_AT_ADDRESS: ReadonlySet<number> = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff])

/** JSON bytes of an account and of a slot. */
const ACCOUNT_BYTES = 200
const SLOT_BYTES = 140

/** go-ethereum's `prestateTracer`: accounts and slots that a message reads, as they were before it. */
export class PrestateTracer implements Tracer {
  readonly #options: PrestateTracerOptions
  readonly #budget: TraceBudget
  #touched = new Map<Address, Set<Slot>>()

  readonly #coinbase: Address
  readonly #state: StateReader
  #recipient: Address | undefined

  constructor(options: PrestateTracerOptions, deps: PrestateTracerDeps) {
    this.#options = options
    this.#budget = deps.budget
    this.#coinbase = deps.coinbase
    this.#state = deps.state
  }

  onBegin({ warmAddresses }: Message): void {
    this.#touched = new Map()
    this.#recipient = undefined
    // Warm addresses include sender, recipient and authorities.
    for (const address of warmAddresses) this.#touch(address)
    this.#touch(this.#coinbase)
  }

  onStep(step: TraceStep): void {
    const { opcode, stackSize } = step
    if (stackSize < 1) return
    if (opcode === SLOAD || opcode === SSTORE) this.#touchSlot(step.address, bigintToSlot(step.word(0)))
    else if (LOOKS_AT_ADDRESS.has(opcode)) this.#touch(wordToAddress(step.word(0)))
  }

  onEnter({ depth, from, to }: FrameStart): void {
    this.#touch(from)
    if (to === undefined) return
    this.#touch(to)
    // go-ethereum reads the recipient's delegation before authorizations apply, and that of a called account now.
    if (depth === 0) this.#recipient = to
    else this.#touchDelegate(to, this.#state)
  }

  /** @throws errors of the state reader, TraceTooLargeError */
  result(change: StateChange): Prestate {
    this.#touchChanges(change.diff)
    if (this.#recipient !== undefined) this.#touchDelegate(this.#recipient, change.before)
    return this.#options.diffMode ? this.#difference(change) : { pre: this.#prestate(change.before) }
  }

  #touch(address: Address): Set<Slot> {
    let slots = this.#touched.get(address)
    if (slots === undefined) {
      this.#budget.spend(ACCOUNT_BYTES)
      slots = new Set()
      this.#touched.set(address, slots)
    }
    return slots
  }

  #touchSlot(address: Address, slot: Slot): void {
    const slots = this.#touch(address)
    if (this.#options.disableStorage || slots.has(slot)) return
    this.#budget.spend(SLOT_BYTES)
    slots.add(slot)
  }

  /** Includes accounts that are paid without being called. */
  #touchChanges({ accounts, storage }: StateDiff): void {
    for (const address of accounts.keys()) this.#touch(address)
    for (const [address, slots] of storage) for (const slot of slots.keys()) this.#touchSlot(address, slot)
  }

  /** Account whose code runs for another one (EIP-7702). */
  #touchDelegate(address: Address, state: StateReader): void {
    const account = state.account(address)
    if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return
    const target = delegationOf(state.code(account.codeHash))
    if (target !== undefined) this.#touch(target)
  }

  #prestate(before: StateReader): Map<Address, TracedAccount> {
    const pre = new Map<Address, TracedAccount>()
    for (const [address, slots] of this.#touched) {
      const account = before.account(address)
      if (isNothing(account) && !this.#options.includeEmpty) continue
      const storage = new Map([...slots].map((slot) => [slot, before.storage(address, slot)]))
      pre.set(address, this.#described(account, before, storage))
    }
    return pre
  }

  #difference({ before, diff }: StateChange): Prestate {
    const pre = new Map<Address, TracedAccount>()
    const post = new Map<Address, TracedAccount>()
    for (const [address, { account: after, storageCleared }] of diff.accounts) {
      const account = before.account(address)
      const slots = this.#touched.get(address) ?? new Set<Slot>()
      const written = diff.storage.get(address)
      const storageBefore = new Map<Slot, bigint>()
      const storageAfter = new Map<Slot, bigint>()
      for (const slot of slots) {
        const old = before.storage(address, slot)
        // go-ethereum keeps every slot of a deleted account that the message read or wrote.
        if (after === undefined) {
          storageBefore.set(slot, old)
          continue
        }
        const value = written?.get(slot) ?? (storageCleared ? 0n : old)
        if (value === old) continue
        if (old !== 0n) storageBefore.set(slot, old)
        if (value !== 0n) storageAfter.set(slot, value)
      }
      if (!isNothing(account) || this.#options.includeEmpty) {
        pre.set(address, this.#described(account, before, storageBefore))
      }
      // A deleted account has no post state.
      if (after !== undefined) post.set(address, this.#changed(account, after, { before, diff }, storageAfter))
    }
    return { pre, post }
  }

  #described(account: Account | undefined, before: StateReader, storage: ReadonlyMap<Slot, bigint>): TracedAccount {
    const { balance = 0n, nonce = 0n, codeHash = EMPTY_CODE_HASH } = account ?? {}
    return { balance, ...(nonce > 0n && { nonce }), ...this.#code(codeHash, (hash) => before.code(hash)), storage }
  }

  #changed(
    account: Account | undefined,
    after: Account,
    { before, diff }: StateChange,
    storage: ReadonlyMap<Slot, bigint>,
  ): TracedAccount {
    const { balance = 0n, nonce = 0n, codeHash = EMPTY_CODE_HASH } = account ?? {}
    return {
      ...(after.balance !== balance && { balance: after.balance }),
      ...(after.nonce !== nonce && { nonce: after.nonce }),
      ...(after.codeHash !== codeHash && this.#changedCode(after.codeHash, { before, diff })),
      storage,
    }
  }

  /** Names a code that was removed, too. */
  #changedCode(codeHash: Hash, { before, diff }: StateChange): Pick<TracedAccount, 'code' | 'codeHash'> {
    if (codeHash !== EMPTY_CODE_HASH) return this.#code(codeHash, (hash) => diff.code.get(hash) ?? before.code(hash))
    return { codeHash, ...(!this.#options.disableCode && { code: EMPTY_BYTES }) }
  }

  #code(codeHash: Hash, read: (hash: Hash) => Bytes): Pick<TracedAccount, 'code' | 'codeHash'> {
    if (codeHash === EMPTY_CODE_HASH) return {}
    if (this.#options.disableCode) return { codeHash }
    const code = read(codeHash)
    this.#budget.spend(2 * code.length)
    return { codeHash, code }
  }
}

function isNothing(account: Account | undefined): boolean {
  return (
    account === undefined || (account.nonce === 0n && account.balance === 0n && account.codeHash === EMPTY_CODE_HASH)
  )
}
