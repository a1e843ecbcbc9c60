import { bytesToHex } from '../../src/primitives/hex.ts'

/** A value whose bytes, of whichever class, are hex: two of them compare by content. */
export function normal(value: unknown): unknown {
  if (value instanceof Uint8Array) return bytesToHex(value)
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]) => [key, normal(item)]))
  if (Array.isArray(value)) return value.map(normal)
  // JSON.stringify writes minus zero as 0.
  if (value === 0) return 0
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normal(item)]))
}
