import { type Address, type Bytes, bytesIn, type Hash, type Slot } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH, keccakHash } from '../../primitives/keccak.ts'
import { bigintToSlot, MAX_UINT64, MAX_UINT256 } from '../../primitives/quantity.ts'
import type { WalkedValue } from './json-walker.ts'
import { StateDumpError } from './state-dump-error.ts'

/** An account of a dump, as far as it was read. */
export interface LoadedAccount {
  nonce?: bigint
  balance?: bigint
  code?: { readonly hash: Hash; readonly bytes: Bytes }
  readonly slots: Map<Slot, bigint>
}

/** Bytes of code that count as one value: about the size of a slot in a record. */
const BYTES_PER_VALUE = 64

/** Collects the values of the accounts of a dump. */
export class LoadedAccounts {
  #accounts = new Map<Address, LoadedAccount>()
  #size = 0

  /** Values since the last `take`; long code counts several times. */
  get size(): number {
    return this.#size
  }

  take(): ReadonlyMap<Address, LoadedAccount> {
    const taken = this.#accounts
    this.#accounts = new Map()
    this.#size = 0
    return taken
  }

  /**
   * @param path `accounts`, address, and `nonce`, `balance`, `code`, or `storage` and the slot
   * @throws StateDumpError
   */
  add({ path, value }: WalkedValue): void {
    const [, name, member, slot] = path
    if (name === undefined || member === undefined || (member === 'storage' && slot === undefined)) throw invalid(path)
    const account = this.#account(String(name))
    this.#size += 1
    switch (member) {
      case 'nonce':
        account.nonce = number(value, MAX_UINT64, path)
        break
      case 'balance':
        account.balance = number(value, MAX_UINT256, path)
        break
      case 'code': {
        const bytes = typeof value === 'string' ? bytesIn(value) : undefined
        if (bytes === undefined) throw invalid(path)
        this.#size += Math.floor(bytes.length / BYTES_PER_VALUE)
        account.code = { bytes, hash: bytes.length === 0 ? EMPTY_CODE_HASH : keccakHash(bytes) }
        break
      }
      default:
        account.slots.set(slotOf(slot, path), number(value, MAX_UINT256, path))
    }
  }

  #account(name: string): LoadedAccount {
    if (!/^0x[0-9a-fA-F]{40}$/.test(name))
      throw new StateDumpError(`${JSON.stringify(name.slice(0, 50))} is no address`)
    const address = name.toLowerCase() as Address
    const account = this.#accounts.get(address) ?? { slots: new Map() }
    this.#accounts.set(address, account)
    return account
  }
}

const CANONICAL_SLOT = /^0x[0-9a-f]{64}$/

/** Old dumps have slots without leading zeros. */
function slotOf(slot: unknown, path: readonly (string | number)[]): Slot {
  if (typeof slot === 'string' && CANONICAL_SLOT.test(slot)) return slot as Slot
  return bigintToSlot(number(slot, MAX_UINT256, path))
}

/** A JSON number, or a hex or decimal number in a string. */
export function number(value: unknown, max: bigint, path: readonly (string | number)[]): bigint {
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value)
  const isText = typeof value === 'string' && /^(0x[0-9a-fA-F]{1,64}|\d{1,78})$/.test(value)
  const parsed = isNumber || isText ? BigInt(value) : -1n
  if (parsed < 0n || parsed > max) throw invalid(path)
  return parsed
}

function invalid(path: readonly (string | number)[]): StateDumpError {
  return new StateDumpError(`invalid value at ${path.join('.')}`)
}
