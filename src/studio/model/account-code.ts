import { byteLength, grouped } from '../../live/amount.ts'

/** The kind of an account, by its code. */
export type AccountKind =
  | { readonly kind: 'plain' }
  /** EIP-7702: the account runs the code of another address. */
  | { readonly kind: 'delegated'; readonly to: string }
  | { readonly kind: 'contract'; readonly bytes: number }

const DELEGATION = /^0xef0100([0-9a-f]{40})$/

export function accountKind(code: string): AccountKind {
  const delegate = DELEGATION.exec(code.toLowerCase())?.[1]
  if (delegate !== undefined) return { kind: 'delegated', to: `0x${delegate}` }
  const bytes = byteLength(code)
  return bytes === 0 ? { kind: 'plain' } : { kind: 'contract', bytes }
}

export function accountKindText(kind: AccountKind): string {
  switch (kind.kind) {
    case 'plain':
      return 'Account without code'
    case 'delegated':
      return 'Account with a delegation (EIP-7702)'
    case 'contract':
      return `Contract of ${grouped(kind.bytes)} bytes`
  }
}

/**
 * A storage slot as 32 bytes from what people type: a number in decimal or hex.
 *
 * @returns `undefined` if it is neither, or larger than 256 bits
 */
export function slotFrom(text: string): `0x${string}` | undefined {
  const trimmed = text.trim()
  if (!/^(?:\d+|0x[0-9a-fA-F]{1,64})$/.test(trimmed)) return undefined
  const digits = BigInt(trimmed).toString(16)
  return digits.length > 64 ? undefined : `0x${digits.padStart(64, '0')}`
}

/** A result of `eth_getStorageAt`; `undefined` if it is no word. */
export function storageWord(json: unknown): string | undefined {
  return typeof json === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(json) ? json : undefined
}

/**
 * Readings of a storage word: as a number, and as an address or text where it looks like one.
 *
 * @param word see `storageWord`
 */
export function wordReadings(word: string): readonly (readonly [label: string, text: string])[] {
  const digits = word.slice(2).padStart(64, '0')
  const number = BigInt(`0x${digits}`)
  const isAddress = digits.startsWith('0'.repeat(24)) && number >= 1n << 120n
  return [
    ['number', grouped(number)],
    ...(isAddress ? [['address', `0x${digits.slice(24)}`] as const] : []),
    ...textReading(digits),
  ]
}

/** A short string of Solidity has its bytes in front, and twice its length in the last byte. */
function textReading(digits: string): readonly (readonly [string, string])[] {
  const length = Number.parseInt(digits.slice(62), 16) / 2
  if (!Number.isInteger(length) || length === 0 || length > 31) return []
  const bytes = Array.from({ length }, (_, index) => Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16))
  if (/[^0]/.test(digits.slice(length * 2, 62)) || bytes.some((byte) => byte < 0x20 || byte > 0x7e)) return []
  return [['text', String.fromCharCode(...bytes)]]
}
