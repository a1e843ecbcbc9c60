import { type Address, type Bytes, bytesToHex, hexToBytes } from '../../primitives/hex.ts'

const DESIGNATOR = [0xef, 0x01, 0x00] as const

/**
 * The delegation target in an account's code (EIP-7702).
 *
 * @returns undefined for any other code
 */
export function delegationOf(code: Bytes): Address | undefined {
  if (code.length !== 23 || DESIGNATOR.some((byte, index) => code[index] !== byte)) return undefined
  return bytesToHex(code.subarray(3)) as Address
}

/** The code that delegates to `target` (EIP-7702). */
export function delegationCode(target: Address): Bytes {
  const code = new Uint8Array(23)
  code.set(DESIGNATOR)
  code.set(hexToBytes(target), 3)
  return code
}
