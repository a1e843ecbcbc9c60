import { decodeError } from 'micro-eth-signer/abi.js'
import { decodeRevertReason, decodeSolidityRevert } from '../../engine/call/revert-reason.ts'
import type { Executed } from '../../engine/types.ts'
import { type Bytes, bytesToHex } from '../../primitives/hex.ts'
import type { AbiBook } from './abi-book.ts'

/** Characters of revert data that is not decoded. */
const MAX_DATA = 200

/**
 * Why an execution failed: the string of `Error(string)`, the meaning of `Panic(uint256)`, a custom error with its
 * arguments, or the reason of the EVM.
 */
export function revertText(
  { status, halt, output }: Pick<Executed, 'status' | 'halt' | 'output'>,
  book: AbiBook,
): string {
  if (status === 'halt') return halt ?? 'out of gas'
  if (output.length === 0) return 'reverted without a reason'
  const reason = decodeRevertReason(output)
  if (reason !== undefined) {
    const decoded = decodeSolidityRevert(output)
    return decoded?.kind === 'panic' ? `panic ${panicCode(decoded.code)}: ${reason}` : `reverted: ${reason}`
  }
  return customError(output, book) ?? `reverted with unknown data ${shortened(bytesToHex(output))}`
}

function panicCode(code: bigint): string {
  return `0x${code.toString(16).padStart(2, '0')}`
}

function customError(output: Bytes, book: AbiBook): string | undefined {
  const item = book.errorOf(output)
  if (item === undefined) return undefined
  try {
    const args = decodeError(output, [item] as never)?.args
    return `reverted with ${item.name}(${argumentsText(args, item.inputs?.length ?? 0)})`
  } catch {
    // The selector fits, the arguments do not.
    return `reverted with ${item.name}, data ${shortened(bytesToHex(output))}`
  }
}

/** @param args a single argument as it is; several as an object by name or an array */
function argumentsText(args: unknown, count: number): string {
  if (count === 0) return ''
  return count === 1 ? argumentText(args) : membersText(args as object)
}

/** Arrays are in brackets, structs in parentheses. */
function argumentText(value: unknown): string {
  if (value instanceof Uint8Array) return bytesToHex(value)
  if (Array.isArray(value)) return `[${membersText(value)}]`
  if (typeof value === 'object' && value !== null) return `(${membersText(value)})`
  return typeof value === 'string' && !value.startsWith('0x') ? JSON.stringify(value) : String(value)
}

function membersText(values: object): string {
  if (Array.isArray(values)) return values.map(argumentText).join(', ')
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${argumentText(value)}`)
    .join(', ')
}

function shortened(text: string): string {
  return text.length > MAX_DATA ? `${text.slice(0, MAX_DATA)}…` : text
}
