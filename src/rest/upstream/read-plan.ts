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
import type { CallResult, ContractCall } from '../tokenized-stocks/chain-source.ts'

/**
 * Gas of one of several reads in one call. Tokens need a few thousand, vaults some ten thousand. A read that fails with
 * it is made again on its own, with the limit of the upstream.
 */
const SHARED_READ_GAS = 250_000

/**
 * Maximum reads in one call: all those of a listed token. Their gas stays below the 16.7 million of a transaction
 * (EIP-7825), which some nodes apply to calls too.
 */
const MAX_AGGREGATED = 12

type RpcError = Extract<RpcReply, { kind: 'error' }>

/** A call for one or several reads. */
export interface PlannedCall {
  readonly method: 'eth_call' | 'eth_getCode'
  /** First parameter of the method. */
  readonly parameter: Readonly<Record<string, string>> | Address
  /** Indexes of its reads. */
  readonly places: readonly number[]
  readonly isAggregate: boolean
}

/** Outcome of the reads in one call. */
export type PlannedResult =
  /** `undefined`: the read has to be made in a call of its own. */
  | { readonly kind: 'read'; readonly results: readonly (CallResult | undefined)[] }
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
    const gas = (places.length + 1) * SHARED_READ_GAS
    const parameter = { ...parameterOf(MULTICALL, data), gas: toQuantity(gas) }
    return { method: 'eth_call', parameter, places, isAggregate: true }
  })
}

/** One call for each of these reads. */
export function planApart(calls: readonly ContractCall[], places: readonly number[]): readonly PlannedCall[] {
  return places.map((index) => planOne(calls, index))
}

/** One request for the code of each address. */
export function planCode(addresses: readonly Address[]): readonly PlannedCall[] {
  return addresses.map((parameter, index) => ({
    method: 'eth_getCode',
    parameter,
    places: [index],
    isAggregate: false,
  }))
}

/** Without a gas limit, so that the limit is that of `eth_call` of the upstream. */
function planOne(calls: readonly ContractCall[], index: number): PlannedCall {
  const { to, data } = calls[index]!
  return { method: 'eth_call', parameter: parameterOf(to, data), places: [index], isAggregate: false }
}

function parameterOf(to: Address, data: Bytes): Readonly<Record<string, string>> {
  return { from: ZERO_ADDRESS, to, data: bytesToHex(data) }
}

/** @throws UpstreamError `malformed` */
export function outcomeOf({ places, isAggregate }: PlannedCall, reply: RpcReply): PlannedResult {
  if (reply.kind === 'error') {
    if (meaningOf(reply) !== 'failed') return reply
    return isAggregate ? { kind: 'separate', why: 'failed' } : { kind: 'read', results: [failureOf(reply)] }
  }
  const { result } = reply
  if (typeof result !== 'string' || !isHexBytes(result)) throw malformed('a call that returned no bytes')
  const output = hexToBytes(result)
  if (!isAggregate) return { kind: 'read', results: [{ kind: 'returned', output }] }
  const outputs = decodeAggregate(output, places.length)
  // The address has no code at this block, or is another contract.
  if (outputs === undefined) return { kind: 'separate', why: 'noMulticall' }
  return { kind: 'read', results: outputs.map((one) => one && { kind: 'returned', output: one }) }
}

function failureOf({ message, data }: RpcError): CallResult {
  // Nodes that are not go-ethereum have other forms of `data`.
  const bytes = typeof data === 'string' && isHexBytes(data) ? hexToBytes(data) : new Uint8Array(0)
  return { kind: 'failed', message, data: bytes }
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
