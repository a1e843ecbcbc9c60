import type { ParityTrace } from '../../engine/trace/parity-tracer.ts'
import type { Address } from '../../primitives/hex.ts'
import type { EntryFailure } from '../../rpc/protocol/error-reason.ts'
import { type Artifact, isCalledBy } from './abi-book.ts'
import type { AbiItem } from './abi-library.ts'
import { failingPath } from './execution-report.ts'

/** See `FindEntryFailure`. */
export function entryFailureOf(
  { executed, frames = [] }: ParityTrace,
  contractAt: (address: Address) => Pick<Artifact, 'abi'> | undefined,
): EntryFailure | undefined {
  if (executed.status !== 'revert' || executed.output.length > 0) return undefined
  const { start, end } = failingPath(frames).at(-1) ?? {}
  if (start?.to === undefined || end?.error !== 'execution reverted') return undefined
  // Constructors are entered without a selector.
  if (start.kind === 'CREATE' || start.kind === 'CREATE2') return undefined
  const contract = contractAt(start.to)
  return contract && failureAtEntry(contract.abi, start)
}

/** The checks of Solidity before it runs a function. */
function failureAtEntry(
  abi: readonly AbiItem[],
  { input, value = 0n }: { readonly input: Uint8Array; readonly value?: bigint },
): EntryFailure | undefined {
  const isPaid = value > 0n
  const called = abi.find((item) => isCalledBy(item, input))
  if (called !== undefined) {
    return isPaid && !isPayable(called) ? { code: 'FUNCTION_NOT_PAYABLE', value } : undefined
  }
  const isPlain = input.length === 0
  const hasReceive = abi.some(({ type }) => type === 'receive')
  if (isPlain && hasReceive) return undefined
  const fallback = abi.find(({ type }) => type === 'fallback')
  if (fallback === undefined) return { code: isPlain ? 'NO_RECEIVE' : 'UNKNOWN_FUNCTION' }
  if (!isPaid || isPayable(fallback)) return undefined
  return { code: 'FALLBACK_NOT_PAYABLE', value, wantsReceive: isPlain }
}

function isPayable({ stateMutability }: AbiItem): boolean {
  return stateMutability === 'payable'
}
