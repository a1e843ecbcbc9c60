import type { ForeignMembers } from '../../chain/foreign-members.ts'
import { type Address, type Bytes, type Hash, hexToBytes, isHexBytes, toAddress, toHash } from '../../primitives/hex.ts'
import { ForkError } from './fork-error.ts'

/** An error for a result that contradicts itself or a hash. */
export function invalid(subject: string, reason: string): ForkError {
  return new ForkError(
    'FORK_DATA_INVALID',
    `the upstream gave wrong data for ${subject}: ${reason}; use another --fork-url`,
  )
}

const QUANTITY = /^0x[0-9a-f]{1,64}$/i

/** @throws ForkError FORK_DATA_INVALID unless it is hex of at most 256 bits; leading zeros are accepted */
export function quantityValue(value: unknown, subject: string): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw invalid(subject, 'not a quantity')
  return BigInt(value)
}

/** @throws ForkError FORK_DATA_INVALID unless it is bytes in hex */
export function bytesValue(value: unknown, subject: string): Bytes {
  if (!isHexBytes(value)) throw invalid(subject, 'not bytes')
  return hexToBytes(value)
}

/** @throws ForkError FORK_DATA_INVALID unless it is a list */
export function listValue(value: unknown, subject: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(subject, 'not a list')
  return value
}

/** @throws ForkError FORK_DATA_INVALID unless it is 32 bytes in hex */
export function hashValue(value: unknown, subject: string): Hash {
  if (!isHexBytes(value) || value.length !== 66) throw invalid(subject, 'not 32 bytes')
  return toHash(value)
}

/**
 * A JSON object in a result of the upstream. Every method throws ForkError FORK_DATA_INVALID for a member of another
 * form; those of optional members return `undefined` for `null` and for a missing one.
 *
 * @example new ReplyObject(result, 'block 16').hash('parentHash')
 */
export class ReplyObject {
  readonly #members: Readonly<Record<string, unknown>>
  readonly #subject: string

  constructor(value: unknown, subject: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(subject, 'not an object')
    this.#members = value as Readonly<Record<string, unknown>>
    this.#subject = subject
  }

  has(name: string): boolean {
    return this.raw(name) !== undefined
  }

  /** `undefined` for `null` too. */
  raw(name: string): unknown {
    return Object.hasOwn(this.#members, name) ? (this.#members[name] ?? undefined) : undefined
  }

  quantity(name: string): bigint {
    return quantityValue(this.raw(name), this.#path(name))
  }

  number(name: string): number {
    const value = this.quantity(name)
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw invalid(this.#path(name), 'too large')
    return Number(value)
  }

  bytes(name: string, length?: number): Bytes {
    const bytes = bytesValue(this.raw(name), this.#path(name))
    if (length !== undefined && bytes.length !== length) throw invalid(this.#path(name), `not ${length} bytes`)
    return bytes
  }

  hash(name: string): Hash {
    return hashValue(this.raw(name), this.#path(name))
  }

  address(name: string): Address {
    const value = this.raw(name)
    if (!isHexBytes(value) || value.length !== 42) throw invalid(this.#path(name), 'not an address')
    return toAddress(value)
  }

  list(name: string): readonly unknown[] {
    return listValue(this.raw(name), this.#path(name))
  }

  objects(name: string): readonly ReplyObject[] {
    return this.list(name).map((item, index) => new ReplyObject(item, this.#path(`${name}[${index}]`)))
  }

  optionalQuantity(name: string): bigint | undefined {
    return this.has(name) ? this.quantity(name) : undefined
  }

  optionalNumber(name: string): number | undefined {
    return this.has(name) ? this.number(name) : undefined
  }

  optionalHash(name: string): Hash | undefined {
    return this.has(name) ? this.hash(name) : undefined
  }

  optionalAddress(name: string): Address | undefined {
    return this.has(name) ? this.address(name) : undefined
  }

  /** The members without those of these names; `undefined` if none remains. Members that are `null` are absent. */
  without(names: ReadonlySet<string>): ForeignMembers | undefined {
    const others = Object.entries(this.#members).filter(([name, value]) => value !== null && !names.has(name))
    return others.length === 0 ? undefined : Object.fromEntries(others)
  }

  #path(name: string): string {
    return `${name} of ${this.#subject}`
  }
}
