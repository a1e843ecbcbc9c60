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

/** EIP-1967: keccak-256 of `eip1967.proxy.implementation`, less one. */
export const PROXY_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
/** EIP-1167: a minimal clone, around the address of its implementation. */
const CLONE = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/
const PUSH1 = 0x60
const PUSH32 = 0x7f
/** An immutable address, and the DELEGATECALL to it with all data of the call: contracts/stock/StockProxy ends so. */
const DELEGATION_TO_IMMUTABLE = /^7f0{24}(?!0{40})([0-9a-f]{40})365f80375f5f365f845af4/
/** Larger contracts do more than delegating. */
const MAX_PROXY_BYTES = 256

/**
 * The contract whose code a proxy runs: by EIP-1967, as a clone of EIP-1167, or as an immutable of a contract that only
 * delegates, as the proxies of stocks are.
 *
 * @param slot storage at `PROXY_SLOT`
 * @returns `undefined` for a contract that is no such proxy
 */
export function implementationOf(code: string, slot: unknown): string | undefined {
  const word = storageWord(slot)?.slice(2).padStart(64, '0') ?? ''
  if (/^0{24}(?!0{40})/.test(word)) return `0x${word.slice(24).toLowerCase()}`
  const lower = code.toLowerCase()
  const clone = CLONE.exec(lower)?.[1]
  if (clone !== undefined) return `0x${clone}`
  if (byteLength(code) > MAX_PROXY_BYTES) return undefined
  const target = delegationIn(lower.slice(2))
  return target === undefined ? undefined : `0x${target}`
}

/** The immutable to which code delegates. Walks the instructions, since the data of a push may look like others. */
function delegationIn(digits: string): string | undefined {
  for (let at = 0; at < digits.length; ) {
    const target = DELEGATION_TO_IMMUTABLE.exec(digits.slice(at))?.[1]
    if (target !== undefined) return target
    const opcode = Number.parseInt(digits.slice(at, at + 2), 16)
    const pushed = opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH1 + 1 : 0
    at += 2 * (1 + pushed)
  }
  return undefined
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
