import { type Bytes, type Hash, type Hex, hexToBytes, isHexBytes } from '../../../primitives/hex.ts'
import { StockError } from '../terms/stock-error.ts'

// Responses are validated before use: the URL may refer to any node, or to another kind of server.

export type WireObject = Readonly<Record<string, unknown>>

export function wireObject(value: unknown, what: string): WireObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unexpected(what, value)
  return value as WireObject
}

export function readArray(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw unexpected(what, value)
  return value
}

export function readQuantity(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw unexpected(what, value)
  return BigInt(value)
}

export function readHex(value: unknown, what: string): Hex {
  if (!isHexBytes(value)) throw unexpected(what, value)
  return value
}

export function wireBytes(value: unknown, what: string): Bytes {
  return hexToBytes(readHex(value, what))
}

export function wireHash(value: unknown, what: string): Hash {
  const hex = readHex(value, what)
  if (hex.length !== 66) throw unexpected(what, value)
  return hex.toLowerCase() as Hash
}

function unexpected(what: string, value: unknown): StockError {
  const got = JSON.stringify(value) ?? 'nothing'
  return new StockError('NODE_ERROR', `the node's ${what} cannot be read: ${got.slice(0, 200)}`)
}
