import { type Address, type Bytes, hexToBytes, isHexBytes, toAddress, toHash } from '../../primitives/hex.ts'

/** Invalid genesis file; the message names the member. */
export class GenesisError extends Error {
  readonly code = 'INVALID_GENESIS'
  override readonly name = 'GenesisError'
}

export type JsonMembers = Readonly<Record<string, unknown>>

/** A member of a genesis file, with its path from the root. */
export interface JsonMember {
  readonly value: unknown
  readonly path: string
}

/** `null` counts as absent, as in go-ethereum's files. */
export function isAbsent(member: JsonMember): boolean {
  return member.value === undefined || member.value === null
}

/** The first of `names` that is present. */
export function memberOf(object: JsonMembers, path: string, ...names: readonly string[]): JsonMember {
  const name = names.find((candidate) => Object.hasOwn(object, candidate) && object[candidate] !== null) ?? names[0]!
  return { value: Object.hasOwn(object, name) ? object[name] : undefined, path: path === '' ? name : `${path}.${name}` }
}

export function readObject(member: JsonMember): JsonMembers {
  const { value } = member
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(member, 'an object')
  return value as JsonMembers
}

/** A hex or decimal string, or a JSON number that is a safe integer; below 2^bits. */
export function readInteger(member: JsonMember, bits = 64): bigint {
  const value = parseInteger(member)
  if (value >> BigInt(bits) !== 0n) throw wrong(member, `below 2^${bits}`)
  return value
}

export function readSafeNumber(member: JsonMember): number {
  return Number(readInteger(member, 53))
}

export function readJsonBytes(member: JsonMember): Bytes {
  if (!isHexBytes(member.value)) throw wrong(member, 'bytes in hex with 0x')
  return hexToBytes(member.value)
}

export function readJsonAddress(member: JsonMember): Address {
  if (!isHexBytes(member.value) || member.value.length !== 42) throw wrong(member, 'an address: 0x and 40 hex digits')
  return toAddress(member.value)
}

export function readJsonHash(member: JsonMember) {
  if (!isHexBytes(member.value) || member.value.length !== 66) throw wrong(member, '32 bytes: 0x and 64 hex digits')
  return toHash(member.value)
}

export function wrong(member: JsonMember, wanted: string): GenesisError {
  const got = isAbsent(member) ? 'nothing' : (JSON.stringify(member.value)?.slice(0, 80) ?? typeof member.value)
  return new GenesisError(`genesis: ${member.path} must be ${wanted}, got ${got}`)
}

function parseInteger(member: JsonMember): bigint {
  const { value } = member
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw wrong(member, 'a whole number below 2^53, or a string with a larger one')
    }
    return BigInt(value)
  }
  if (typeof value === 'string' && /^(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$/.test(value)) return BigInt(value)
  throw wrong(member, 'a whole number, as a JSON number or a string in decimal or hex')
}
