import { isDeepStrictEqual } from 'node:util'
import { bytesToHex } from '../../../src/primitives/hex.ts'

// Loose, because constructors of errors have different parameters.
type ErrorClass = abstract new (...parameters: never[]) => Error

/** Decodes. @returns undefined when the decoder refuses the input with a documented error; any other is thrown */
export function decodedOr<Value>(errors: readonly ErrorClass[], decode: () => Value): Value | undefined {
  try {
    return decode()
  } catch (error) {
    if (errors.some((expected) => error instanceof expected)) return undefined
    throw error
  }
}

/** @throws Error unless the value encodes to the bytes that it was decoded from */
export function requireCanonical(bytes: Uint8Array, encoded: Uint8Array): void {
  if (Buffer.compare(bytes, encoded) !== 0) throw new Error(`encoded again: ${bytesToHex(encoded)}`)
}

/** @throws Error unless both are equal */
export function requireEqual(what: string, one: unknown, other: unknown): void {
  if (!isDeepStrictEqual(one, other)) throw new Error(`${what}: ${shown(one)} and ${shown(other)}`)
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}` : member)) ?? 'undefined'
}
