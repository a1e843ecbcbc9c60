import { createContract } from 'micro-eth-signer/abi.js'
import { type AbiParameter, canonicalSignature } from '../../../primitives/abi/abi-signature.ts'
import { type Bytes, bytesToHex, type Hex, hexToBytes, isHexBytes } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import { InvalidValueError } from '../../../rpc/codecs/codec.ts'
import type { Json, JsonRecord } from '../../../rpc/protocol/json.ts'
import type { AbiItem } from '../../terminal/abi-library.ts'

/** A parameter of an event. */
interface EventParameter extends AbiParameter {
  readonly indexed?: boolean
}

/** A function with the types of its result. */
export interface AbiFunction extends AbiItem {
  readonly outputs?: readonly AbiParameter[]
}

type Codec = { encodeInput(value?: unknown): Bytes; decodeOutput(data: Bytes): unknown }

/**
 * Values by parameter name, or by position where there is none, ready for JSON: integers as decimal strings, bytes as
 * hex.
 *
 * @throws Error when the bytes do not have these types
 */
export function decodeValues(parameters: readonly AbiParameter[], bytes: Bytes): JsonRecord {
  if (parameters.length === 0) return {}
  const decoded = codecOf(parameters).decodeOutput(bytes)
  // The library returns a single value without its name.
  const values = parameters.length === 1 ? [decoded] : Object.values(decoded as object)
  return Object.fromEntries(parameters.map(({ name }, index) => [name || `${index}`, jsonOf(values[index])]))
}

/**
 * Calldata of a function.
 *
 * @param args by position: integers as numbers or decimal or hex strings, bytes as hex, tuples as arrays or objects
 * @throws InvalidValueError
 */
export function encodeArguments(item: AbiItem, args: readonly unknown[]): Bytes {
  const { inputs = [] } = item
  if (args.length !== inputs.length) {
    throw new InvalidValueError(
      `${canonicalSignature(item)} takes ${inputs.length} arguments, got ${args.length}`,
      'args',
    )
  }
  const values = inputs.map((parameter, index) => encodable(parameter, args[index], `args[${index}]`))
  const named = Object.fromEntries(values.map((value, index) => [`arg${index}`, value]))
  try {
    const encoded = codecOf(inputs).encodeInput(
      values.length === 1 ? values[0] : values.length === 0 ? undefined : named,
    )
    return hexToBytes(`${abiSelector(item)}${bytesToHex(encoded.subarray(4)).slice(2)}` as Hex)
  } catch (error) {
    throw new InvalidValueError(`${canonicalSignature(item)}: ${(error as Error).message}`, 'args')
  }
}

/**
 * The parameters of a log.
 *
 * @returns `undefined` when the event has another number of indexed parameters, or other data
 */
export function decodeEventLog(item: AbiItem, topics: readonly Hex[], data: Bytes): JsonRecord | undefined {
  const inputs = (item.inputs ?? []) as readonly EventParameter[]
  const indexed = inputs.filter((input) => input.indexed === true)
  if (indexed.length !== topics.length - 1) return undefined
  try {
    const named = inputs.map((input, index) => ({ ...input, name: input.name || `${index}` }))
    const plain = decodeValues(
      named.filter((input) => input.indexed !== true),
      data,
    )
    let position = 1
    return Object.fromEntries(
      named.map((input) => [
        input.name,
        input.indexed === true ? topicValue(input, topics[position++]!) : plain[input.name],
      ]),
    )
  } catch {
    return undefined
  }
}

/** The hash of text, bytes, arrays and structs stands in place of their value. */
function topicValue(parameter: AbiParameter, topic: Hex): Json | undefined {
  if (/^(string|bytes|tuple)$|\]$/.test(parameter.type)) return topic
  return Object.values(decodeValues([parameter], hexToBytes(topic)))[0]
}

export function abiSelector(item: AbiItem): Hex {
  return topicOf(item).slice(0, 10) as Hex
}

/** Hash of the signature: the first topic of an event. */
export function topicOf(item: AbiItem): Hex {
  return keccakHash(Buffer.from(canonicalSignature(item)))
}

/** Parameters under names that are unique. */
function codecOf(parameters: readonly AbiParameter[]): Codec {
  const named = parameters.map((parameter, index) => ({ ...parameter, name: `arg${index}` }))
  const abi = [{ type: 'function', name: 'values', inputs: named, outputs: named }]
  return (createContract(abi as never) as unknown as Readonly<Record<string, Codec>>).values!
}

function jsonOf(value: unknown): Json {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Uint8Array) return bytesToHex(value)
  if (Array.isArray(value)) return value.map(jsonOf)
  if (typeof value !== 'object' || value === null) return value as Json
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, jsonOf(each)]))
}

function encodable(parameter: AbiParameter, value: unknown, path: string): unknown {
  const { type, components = [] } = parameter
  const [, element] = /^(.*)\[\d*\]$/.exec(type) ?? []
  if (element !== undefined) {
    if (!Array.isArray(value)) throw new InvalidValueError(`${type} is an array`, path)
    return value.map((each, index) => encodable({ ...parameter, type: element }, each, `${path}[${index}]`))
  }
  if (type === 'tuple') return tupleOf(components, value, path)
  if (/^u?int/.test(type)) return integerOf(value, path)
  if (type.startsWith('bytes')) {
    if (!isHexBytes(value)) throw new InvalidValueError(`${type} is hex with 0x`, path)
    return hexToBytes(value)
  }
  if (type === 'address' && (!isHexBytes(value) || value.length !== 42)) {
    throw new InvalidValueError('an address has 20 bytes in hex', path)
  }
  if (typeof value !== (type === 'bool' ? 'boolean' : 'string')) {
    throw new InvalidValueError(`${type} expected, got ${JSON.stringify(value) ?? 'nothing'}`, path)
  }
  return value
}

function tupleOf(components: readonly AbiParameter[], value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) throw new InvalidValueError('a tuple is an array or an object', path)
  const members = components.map(({ name }, index) => ({
    name: name || `${index}`,
    value: Array.isArray(value) ? value[index] : (value as Readonly<Record<string, unknown>>)[name || `${index}`],
  }))
  const values = components.map((each, index) =>
    encodable(each, members[index]!.value, `${path}.${members[index]!.name}`),
  )
  if (components.every(({ name }) => Boolean(name))) {
    return Object.fromEntries(components.map(({ name }, index) => [name, values[index]]))
  }
  return values
}

function integerOf(value: unknown, path: string): bigint {
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value)
  if (isNumber || (typeof value === 'string' && /^(-?\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value))) return BigInt(value)
  throw new InvalidValueError('an integer is a number below 2^53, or a decimal or hex string', path)
}
