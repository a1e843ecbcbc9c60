import {
  type Address,
  type Bytes,
  type Hash,
  hexToBytes,
  isHexBytes,
  type Slot,
  toAddress,
  toHash,
  toSlot,
} from '../../../primitives/hex.ts'
import { WitnessError } from './witness-error.ts'

const QUANTITY = /^0x[0-9a-f]{1,64}$/i

/**
 * A JSON object of a witness file. Each method reads a member and throws WitnessError INVALID_WITNESS if it has another
 * form; `has` tells whether an optional one is there.
 *
 * @example new WitnessMembers(json, 'the file').object('parent').hash('hash')
 */
export class WitnessMembers {
  readonly #members: Readonly<Record<string, unknown>>
  readonly #path: string

  constructor(value: unknown, path: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(path, 'an object')
    this.#members = value as Readonly<Record<string, unknown>>
    this.#path = path
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined
  }

  names(): readonly string[] {
    return Object.keys(this.#members)
  }

  object(name: string): WitnessMembers {
    return new WitnessMembers(this.#value(name), this.#pathOf(name))
  }

  list(name: string): readonly unknown[] {
    const value = this.#value(name)
    if (!Array.isArray(value)) throw invalid(this.#pathOf(name), 'a list')
    return value
  }

  objects(name: string): readonly WitnessMembers[] {
    return this.list(name).map((value, index) => new WitnessMembers(value, `${this.#pathOf(name)}[${index}]`))
  }

  bytesList(name: string): readonly Bytes[] {
    return this.list(name).map((value, index) => bytesOf(value, `${this.#pathOf(name)}[${index}]`))
  }

  /** A hex quantity, or a JSON number. */
  integer(name: string): bigint {
    const value = this.#value(name)
    if (Number.isSafeInteger(value) && (value as number) >= 0) return BigInt(value as number)
    if (typeof value !== 'string' || !QUANTITY.test(value)) throw invalid(this.#pathOf(name), 'a quantity')
    return BigInt(value)
  }

  bytes(name: string): Bytes {
    return bytesOf(this.#value(name), this.#pathOf(name))
  }

  hash(name: string): Hash {
    const value = this.#value(name)
    if (!isHexBytes(value) || value.length !== 66) throw invalid(this.#pathOf(name), '32 bytes in hex')
    return toHash(value)
  }

  address(name: string): Address {
    const value = this.#value(name)
    if (!isHexBytes(value) || value.length !== 42) throw invalid(this.#pathOf(name), 'an address')
    return toAddress(value)
  }

  slot(name: string): Slot {
    return toSlot(this.hash(name))
  }

  text(name: string): string {
    const value = this.#value(name)
    if (typeof value !== 'string') throw invalid(this.#pathOf(name), 'a text')
    return value
  }

  /** `null` counts as absent. */
  #value(name: string): unknown {
    return Object.hasOwn(this.#members, name) ? (this.#members[name] ?? undefined) : undefined
  }

  #pathOf(name: string): string {
    return `${this.#path}.${name}`
  }
}

function bytesOf(value: unknown, path: string): Bytes {
  if (!isHexBytes(value)) throw invalid(path, 'bytes in hex')
  return hexToBytes(value)
}

function invalid(path: string, wanted: string): WitnessError {
  return new WitnessError('INVALID_WITNESS', `${path} is not ${wanted}: the file is no block witness, or it is damaged`)
}
