import {
  type Address,
  type Bytes,
  bytesToHex,
  hexToBytes,
  isHexBytes,
  toAddress,
  ZERO_ADDRESS,
} from '../../primitives/hex.ts'
import { bigintToWord, bytesToBigint, toQuantity } from '../../primitives/quantity.ts'
import { malformed, meaningOf, type RpcReply } from '../../upstream/rpc-reply.ts'
import { type ContractCall, READ_GAS } from '../tokenized-stocks/chain-source.ts'

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

/** Multicall3, at the same address on most chains. */
export const MULTICALL = toAddress('0xca11bde05977b3631167028862be2a173976ca11')

const WORD = 32
/** `aggregate3((address target, bool allowFailure, bytes callData)[])` */
const AGGREGATE3 = hexToBytes('0x82ad56cb')
const ONE = bigintToWord(1n)

/** Calldata of Multicall3 for these calls, each of which may fail on its own. */
export function encodeAggregate(calls: readonly ContractCall[]): Bytes {
  const tuples = calls.map(({ to, data }) =>
    Buffer.concat([
      Buffer.alloc(12),
      hexToBytes(to),
      ONE,
      word(3 * WORD),
      word(data.length),
      data,
      Buffer.alloc(paddingOf(data.length)),
    ]),
  )
  let offset = calls.length * WORD
  const offsets = tuples.map((tuple) => {
    const own = word(offset)
    offset += tuple.length
    return own
  })
  return Buffer.concat([AGGREGATE3, word(WORD), word(calls.length), ...offsets, ...tuples])
}

/**
 * Decodes the result of `aggregate3`, `(bool success, bytes returnData)[]`: the output of each call, `undefined` for
 * a failed one.
 *
 * @returns `undefined` for any other output, or another number of results
 */
export function decodeAggregate(output: Bytes, count: number): readonly (Bytes | undefined)[] | undefined {
  const list = at(output, numberAt(output, 0))
  if (list === undefined || numberAt(list, 0) !== count) return undefined
  const items = list.subarray(WORD)
  const outputs: (Bytes | undefined)[] = []
  for (let index = 0; index < count; index++) {
    const item = at(items, numberAt(items, index * WORD))
    const success = item && numberAt(item, 0)
    const data = item && bytesAt(item, numberAt(item, WORD))
    if (data === undefined || (success !== 0 && success !== 1)) return undefined
    outputs.push(success === 1 ? data : undefined)
  }
  return outputs
}

function bytesAt(data: Bytes, offset: number | undefined): Bytes | undefined {
  const found = at(data, offset)
  const length = found && numberAt(found, 0)
  if (found === undefined || length === undefined || length > found.length - WORD) return undefined
  return found.subarray(WORD, WORD + length)
}

function at(data: Bytes, offset: number | undefined): Bytes | undefined {
  return offset === undefined || offset > data.length ? undefined : data.subarray(offset)
}

/** `undefined` if the data ends before, or if the word is not a valid length. */
function numberAt(data: Bytes, offset: number): number | undefined {
  if (data.length < offset + WORD) return undefined
  const value = bytesToBigint(data.subarray(offset, offset + WORD))
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(value)
}

function word(value: number): Bytes {
  return bigintToWord(BigInt(value))
}

function paddingOf(length: number): number {
  return (WORD - (length % WORD)) % WORD
}
