import { type Address, type Bytes, bytesToHex, hexToBytes, isHexBytes, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { malformed, meaningOf, type RpcReply } from '../../upstream/rpc-reply.ts'
import { type ContractCall, READ_GAS } from '../tokenized-stocks/chain-source.ts'
import { decodeAggregate, encodeAggregate, MULTICALL } from './multicall.ts'

/**
 * Maximum reads in one call: their gas stays below the 16.7 million of a transaction (EIP-7825), which some nodes apply
 * to calls too.
 */
const MAX_AGGREGATED = 8

/** A call for one or several reads. */
export interface PlannedCall {
  /** First parameter of `eth_call`. */
  readonly parameter: Readonly<Record<string, string>>
  /** Indexes of its reads. */
  readonly places: readonly number[]
  readonly isAggregate: boolean
}

/** Outcome of the reads in one call. */
export type PlannedResult =
  | { readonly kind: 'read'; readonly outputs: readonly (Bytes | undefined)[] }
  /** Each read has to be made in a call of its own. */
  | { readonly kind: 'separate'; readonly why: 'failed' | 'noMulticall' }
  /** The upstream could not read at this block. */
  | { readonly kind: 'error'; readonly code: number; readonly message: string }

/**
 * Combines the reads of each contract into one call, but never those of several contracts: the calls of Multicall3
 * share gas and state. A contract that uses up all its gas, as contracts from before 2017 do for an unknown function,
 * must not make another one look as if it were no token.
 */
export function planTogether(calls: readonly ContractCall[]): readonly PlannedCall[] {
  const groups = new Map<Address, number[]>()
  const full: number[][] = []
  for (const [index, { to }] of calls.entries()) {
    const group = groups.get(to)
    if (group === undefined) groups.set(to, [index])
    else if (group.push(index) === MAX_AGGREGATED) {
      full.push(group)
      groups.delete(to)
    }
  }
  return [...full, ...groups.values()].map((places) => {
    if (places.length === 1) return planOne(calls, places[0]!)
    const data = encodeAggregate(places.map((index) => calls[index]!))
    const gas = places.reduce((sum, index) => sum + gasOf(calls[index]!), READ_GAS)
    return { parameter: parameterOf(MULTICALL, data, gas), places, isAggregate: true }
  })
}

/** One call for each of these reads. */
export function planApart(calls: readonly ContractCall[], places: readonly number[]): readonly PlannedCall[] {
  return places.map((index) => planOne(calls, index))
}

function planOne(calls: readonly ContractCall[], index: number): PlannedCall {
  const call = calls[index]!
  return { parameter: parameterOf(call.to, call.data, gasOf(call)), places: [index], isAggregate: false }
}

/** Same default as in the source of this node. */
function gasOf({ gas = READ_GAS }: ContractCall): number {
  return gas
}

function parameterOf(to: Address, data: Bytes, gas: number): PlannedCall['parameter'] {
  return { from: ZERO_ADDRESS, to, gas: toQuantity(gas), data: bytesToHex(data) }
}

/** @throws UpstreamError `malformed` */
export function outcomeOf({ places, isAggregate }: PlannedCall, reply: RpcReply): PlannedResult {
  if (reply.kind === 'error') {
    if (meaningOf(reply) !== 'failed') return reply
    return isAggregate ? { kind: 'separate', why: 'failed' } : { kind: 'read', outputs: [undefined] }
  }
  const { result } = reply
  if (typeof result !== 'string' || !isHexBytes(result)) throw malformed('a call that returned no bytes')
  const output = hexToBytes(result)
  if (!isAggregate) return { kind: 'read', outputs: [output] }
  const outputs = decodeAggregate(output, places.length)
  // The address has no code at this block, or is another contract.
  return outputs === undefined ? { kind: 'separate', why: 'noMulticall' } : { kind: 'read', outputs }
}
