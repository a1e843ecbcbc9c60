import { type Hex, isHexBytes } from '../../../src/primitives/hex.ts'

/** A member of a message is invalid. */
export interface FieldFault {
  readonly code: 'MISSING' | 'INVALID'
  /** For example `diff.gas_used`; empty for the message itself. */
  readonly path: string
  readonly message: string
}

/** Thrown and caught within the reader only. */
export class InvalidField extends Error {
  override readonly name = 'InvalidField'
  readonly fault: FieldFault

  constructor(code: FieldFault['code'], path: string, reason: string) {
    super(`${path === '' ? 'a message' : path}: ${reason}`)
    this.fault = { code, path, message: this.message }
  }
}

/** An object member of a message. */
export interface Fields {
  pathOf(name: string): string
  /** @throws InvalidField if the member is missing */
  value(name: string): unknown
  has(name: string): boolean
}

/** @throws InvalidField unless it is an object */
export function fieldsOf(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidField('INVALID', path, 'not an object')
  }
  const members = value as Readonly<Record<string, unknown>>
  const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`)
  const has = (name: string) => Object.hasOwn(members, name)
  return {
    pathOf,
    has,
    value(name) {
      if (!has(name)) throw new InvalidField('MISSING', pathOf(name), 'not there')
      return members[name]
    },
  }
}

/** An optional member; older publishers write null. */
export function optional(fields: Fields, name: string): unknown {
  return fields.has(name) ? (fields.value(name) ?? undefined) : undefined
}

/** Bytes in hex, of exactly `length` if given. */
export function hexField(fields: Fields, name: string, length?: number): Hex {
  const value = fields.value(name)
  if (isHexBytes(value) && (length === undefined || value.length === 2 + 2 * length)) return value
  throw new InvalidField('INVALID', fields.pathOf(name), `not ${length ?? 'whole'} bytes in hex`)
}

/** A JSON number for a height or a position. */
export function integerField(fields: Fields, name: string): number {
  const value = fields.value(name)
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw new InvalidField('INVALID', fields.pathOf(name), 'not a whole number from 0 on')
}

const QUANTITY = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$/

export function quantityField(fields: Fields, name: string, max: bigint): bigint {
  const value = fields.value(name)
  // The length is checked first, since parsing a long number is slow.
  if (typeof value === 'string' && value.length <= 66 && QUANTITY.test(value)) {
    const quantity = BigInt(value)
    if (quantity <= max) return quantity
  }
  throw new InvalidField('INVALID', fields.pathOf(name), `not a hex quantity up to 0x${max.toString(16)}`)
}

/** A quantity for heights and gas used, as a number. */
export function safeQuantityField(fields: Fields, name: string): number {
  return Number(quantityField(fields, name, BigInt(Number.MAX_SAFE_INTEGER)))
}

export function itemsOf(fields: Fields, name: string): readonly unknown[] {
  const value = fields.value(name)
  if (Array.isArray(value)) return value
  throw new InvalidField('INVALID', fields.pathOf(name), 'not a list')
}
