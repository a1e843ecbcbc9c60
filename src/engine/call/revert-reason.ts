import type { Bytes } from '../../primitives/hex.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'

/** Selector of `Error(string)`. */
const ERROR_SELECTOR = '08c379a0'
/** Selector of `Panic(uint256)`. */
const PANIC_SELECTOR = '4e487b71'

/** Solidity's panic codes in go-ethereum's words (accounts/abi/abi.go). */
const PANIC_REASONS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
])

/**
 * The revert reason: the string of `Error(string)` or the meaning of `Panic(uint256)`.
 *
 * @param output revert data
 * @returns undefined for anything else, including custom errors and malformed encodings
 * @example decodeRevertReason(result.output) // 'ERC20: transfer amount exceeds balance'
 */
export function decodeRevertReason(output: Bytes): string | undefined {
  const decoded = decodeSolidityRevert(output)
  switch (decoded?.kind) {
    case 'error':
      return decoded.reason
    case 'panic':
      return PANIC_REASONS.get(decoded.code) ?? `unknown panic code: 0x${decoded.code.toString(16)}`
    default:
      return undefined
  }
}

/** Revert data of `Error(string)` or `Panic(uint256)`. */
export type SolidityRevert =
  | { readonly kind: 'error'; readonly reason: string }
  | { readonly kind: 'panic'; readonly code: bigint }

/** @returns undefined for anything else, including custom errors and malformed encodings */
export function decodeSolidityRevert(output: Bytes): SolidityRevert | undefined {
  const selector = Buffer.from(output.subarray(0, 4)).toString('hex')
  const content = output.subarray(4)
  if (selector === ERROR_SELECTOR) {
    const reason = decodeString(content)
    return reason === undefined ? undefined : { kind: 'error', reason }
  }
  if (selector !== PANIC_SELECTOR || content.length < 32) return undefined
  return { kind: 'panic', code: bytesToBigint(content.subarray(0, 32)) }
}

function decodeString(content: Bytes): string | undefined {
  const offset = readSize(content, 0)
  if (offset === undefined) return undefined
  const length = readSize(content, offset)
  if (length === undefined) return undefined
  const start = offset + 32
  if (start + length > content.length) return undefined
  return Buffer.from(content.subarray(start, start + length)).toString('utf8')
}

/** A word that is a valid offset in `content`. */
function readSize(content: Bytes, position: number): number | undefined {
  if (position + 32 > content.length) return undefined
  const value = bytesToBigint(content.subarray(position, position + 32))
  return value > BigInt(content.length) ? undefined : Number(value)
}
