import { type AbiParameter, decodeErrorResult, decodeEventLog, decodeFunctionData } from 'viem'
import { shortHex } from '../../../live/amount.ts'
import { NO_NAMES } from '../../../live/names/names.ts'
import { visibleText } from '../visible-text.ts'
import type { KnownAbis } from './abi-book.ts'
import type { Decoded, DecodedValue } from './decoded.ts'
import { decodedLine, type MeaningContext } from './meaning.ts'

/** Characters of a value; a view draws fewer. */
const MAX_CHARACTERS = 10_000
/** Items of an array that are shown: hostile data may announce any number. */
const MAX_PARTS = 200

/** Decodes the input of a call; `undefined` if no known function fits. */
export function decodeInput(book: KnownAbis, input: string): Decoded | undefined {
  if (input.length < 10) return undefined
  return first(book.functions(input.slice(0, 10)), (item) => {
    const { args = [] } = decodeFunctionData({ abi: [item], data: input as `0x${string}` })
    return decodedOf(item.name, item.inputs, args as readonly unknown[])
  })
}

/** Decodes a log; `undefined` if no known event fits. */
export function decodeLog(book: KnownAbis, topics: readonly string[], data: string): Decoded | undefined {
  const [topic] = topics
  if (topic === undefined) return undefined
  return first(book.events(topic), (item) => {
    // Two events with one signature differ in what is indexed.
    if (item.inputs.filter(({ indexed }) => indexed).length !== topics.length - 1) return undefined
    // Unnamed parameters come back by position, and only if all are unnamed.
    const inputs = item.inputs.map((input, position) => ({ ...input, name: input.name || `value${position}` }))
    const { args } = decodeEventLog({
      abi: [{ ...item, inputs }],
      topics: topics as never,
      data: data as `0x${string}`,
    })
    const byName = (args ?? {}) as Readonly<Record<string, unknown>>
    return decodedOf(
      item.name,
      inputs,
      inputs.map(({ name }) => byName[name]),
    )
  })
}

/** Codes of `Panic(uint256)` in the documentation of Solidity. */
const PANICS: Readonly<Record<string, string>> = {
  '0': 'inserted by the compiler',
  '1': 'assertion failed',
  '17': 'arithmetic overflow or underflow',
  '18': 'division by zero',
  '33': 'invalid enum value',
  '34': 'invalid storage encoding',
  '49': 'pop on an empty array',
  '50': 'index out of bounds',
  '65': 'out of memory',
  '81': 'call of an uninitialised function',
}

/**
 * Why a call reverted, as one line; `undefined` if its output says nothing.
 *
 * @param context names of addresses, roles and tokens in the error
 */
export function revertReason(
  book: KnownAbis,
  output: string,
  context: MeaningContext = { names: NO_NAMES, token: undefined },
): string | undefined {
  if (output.length < 10) return undefined
  const builtIn = first([[]], () => {
    const { errorName, args } = decodeErrorResult({ abi: [], data: output as `0x${string}` })
    const [value] = args as readonly unknown[]
    return errorName === 'Panic' ? `panic ${value}: ${PANICS[String(value)] ?? 'unknown code'}` : textOf(value)
  })
  if (builtIn !== undefined) return builtIn
  const decoded = first(book.errors(output.slice(0, 10)), (item) => {
    const { args = [] } = decodeErrorResult({ abi: [item], data: output as `0x${string}` })
    return decodedOf(item.name, item.inputs, args as readonly unknown[])
  })
  if (decoded === undefined) return `unknown error ${shortHex(output, 8)}`
  return decodedLine(decoded, context)
}

/** The first item that decodes: selectors are four bytes, so several may fit. */
function first<Item, Result>(items: readonly Item[], decode: (item: Item) => Result | undefined): Result | undefined {
  for (const item of items) {
    try {
      const result = decode(item)
      if (result !== undefined) return result
    } catch {
      // The data do not fit this item.
    }
  }
  return undefined
}

function decodedOf(name: string, inputs: readonly AbiParameter[], args: readonly unknown[]): Decoded {
  const values = inputs.map((input, position) => decodedValue(input.name ?? '', input, args[position]))
  return { name, signature: `${name}(${inputs.map(typeText).join(',')})`, values }
}

/** The canonical type: tuples by their members. */
function typeText(parameter: AbiParameter): string {
  const components = (parameter as { components?: readonly AbiParameter[] }).components
  if (components === undefined) return parameter.type
  return `(${components.map(typeText).join(',')})${parameter.type.slice('tuple'.length)}`
}

/** Tree of a value that an ABI describes. */
export function decodedValue(name: string, parameter: AbiParameter, value: unknown): DecodedValue {
  const { type } = parameter
  if (Array.isArray(value) && type.endsWith(']')) {
    const item = { ...parameter, type: type.replace(/\[\d*\]$/, '') }
    const parts = value.slice(0, MAX_PARTS).map((each, index) => decodedValue(`[${index}]`, item, each))
    const rest = value.length - parts.length
    return { name, type, text: rest > 0 ? `and ${rest} more` : value.length === 0 ? 'none' : '', parts }
  }
  const components = (parameter as { components?: readonly AbiParameter[] }).components
  if (components !== undefined && value !== null && typeof value === 'object') {
    const parts = components.map((component, position) =>
      decodedValue(component.name ?? '', component, memberOf(value, component.name, position)),
    )
    return { name, type, text: '', parts }
  }
  return { name, type, text: textOf(value), parts: [] }
}

/** Tuples with unnamed members come as arrays. */
function memberOf(value: object, name: string | undefined, position: number): unknown {
  const members = value as Readonly<Record<string | number, unknown>>
  return Array.isArray(value) || !name ? members[position] : members[name]
}

function textOf(value: unknown): string {
  // An indexed string or array is in the log as its hash only.
  return value === undefined ? 'not in the data' : visibleText(String(value), MAX_CHARACTERS)
}
