import { type Address, type Bytes, bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { StatusError } from '../http/status.ts'
import type { BlockReads, CallResult, ContractCall } from './chain-source.ts'

/** A read of a function that the contract may not have. */
export interface FunctionRead extends ContractCall {
  /** In errors. @example 'multiplier()' */
  readonly call: string
}

/** A function that the contract has, but whose call failed. */
export interface RefusedRead {
  readonly kind: 'refused'
  readonly address: Address
  readonly call: string
  /** Why it failed. @example 'execution reverted: paused' */
  readonly message: string
}

export type FunctionResult =
  /** Empty for an address without code. */
  { readonly kind: 'returned'; readonly output: Bytes } | { readonly kind: 'absent' } | RefusedRead

type FailedCall = Extract<CallResult, { kind: 'failed' }>

/** A selector of no function: the first bytes of keccak-256 of `tickertape: no such function`. */
const NO_SUCH_FUNCTION = hexToBytes('0x32f614f6')

/**
 * Reads functions and tells a contract that lacks one from a contract that has it and refuses. A contract lacks the
 * function if a call of a function that no contract has fails in the same way, and its code does not contain the
 * selector, as that of a function with a bare `revert()` does.
 *
 * @throws as `BlockReads.call`
 */
export async function readFunctions(
  reads: BlockReads,
  calls: readonly FunctionRead[],
): Promise<readonly FunctionResult[]> {
  const results = await reads.call(calls)
  const failing = calls.filter((_, index) => results[index]!.kind === 'failed')
  const contracts = [...new Set(failing.map(({ to }) => to))]
  if (contracts.length === 0) return results as readonly Extract<CallResult, { kind: 'returned' }>[]
  const probes = byAddress(contracts, await reads.call(contracts.map((to) => ({ to, data: NO_SUCH_FUNCTION }))))
  const codes = byAddress(contracts, await reads.code(contracts))
  return calls.map((call, index) => {
    const result = results[index]!
    if (result.kind === 'returned') return result
    const isUndispatched = isAlike(result, probes.get(call.to)!, call) && !hasSelector(codes.get(call.to)!, call)
    return isUndispatched ? { kind: 'absent' } : refusalOf(call, result)
  })
}

/** The response to a request that needs a value which the contract refuses. */
export function refusedRead({ address, call, message }: Omit<RefusedRead, 'kind'>): StatusError {
  return new StatusError('failedPrecondition', `${call} of ${address} failed: ${message}`)
}

function byAddress<V>(addresses: readonly Address[], values: readonly V[]): ReadonlyMap<Address, V> {
  return new Map(addresses.map((address, index) => [address, values[index]!]))
}

function refusalOf({ to, call }: FunctionRead, { message }: FailedCall): RefusedRead {
  return { kind: 'refused', address: to, call, message }
}

/** Whether two calls failed in the same way. Some contracts and nodes name the selector in the failure. */
function isAlike(failed: FailedCall, probe: CallResult, { data }: ContractCall): boolean {
  return probe.kind === 'failed' && textOf(failed, data) === textOf(probe, NO_SUCH_FUNCTION)
}

function textOf({ message, data }: FailedCall, calldata: Bytes): string {
  return `${message} ${bytesToHex(data)}`.toLowerCase().replaceAll(bytesToHex(selectorOf(calldata)).slice(2), '')
}

function hasSelector(code: Bytes, { data }: ContractCall): boolean {
  return bytesToHex(code).includes(bytesToHex(selectorOf(data)).slice(2))
}

function selectorOf(calldata: Bytes): Bytes {
  return calldata.subarray(0, 4)
}
