import { decodeError } from 'micro-eth-signer/abi.js'
import { decodeRevertReason } from '../../engine/call/revert-reason.ts'
import type { Executed } from '../../engine/types.ts'
import { type Bytes, bytesToHex } from '../../primitives/hex.ts'
import type { AbiBook } from './abi-book.ts'

const PANIC = '0x4e487b71'
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
    const data = bytesToHex(output)
    return data.startsWith(PANIC) ? `panic 0x${data.slice(-2)}: ${reason}` : `reverted: ${reason}`
  }
  return customError(output, book) ?? `reverted with unknown data ${shortened(bytesToHex(output))}`
}

function customError(output: Bytes, book: AbiBook): string | undefined {
  const item = book.errorOf(output)
  if (item === undefined) return undefined
  try {
    const args = decodeError(output, [item] as never)?.args
    return `reverted with ${item.name}(${(item.inputs?.length ?? 0) === 0 ? '' : argumentText(args)})`
  } catch {
    // The selector fits, the arguments do not.
    return `reverted with ${item.name}, data ${shortened(bytesToHex(output))}`
  }
}

/** Several arguments are an object by name or an array. */
function argumentText(value: unknown): string {
  if (value instanceof Uint8Array) return bytesToHex(value)
  if (Array.isArray(value)) return value.map(argumentText).join(', ')
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([name, item]) => `${name}: ${argumentText(item)}`)
      .join(', ')
  }
  return typeof value === 'string' && !value.startsWith('0x') ? JSON.stringify(value) : String(value)
}

function shortened(text: string): string {
  return text.length > MAX_DATA ? `${text.slice(0, MAX_DATA)}…` : text
}
