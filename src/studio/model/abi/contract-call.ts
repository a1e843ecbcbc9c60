import { type AbiFunction, type AbiParameter, decodeAbiParameters, encodeFunctionData } from 'viem'
import type { DecodedValue } from './decoded.ts'
import { decodedValue } from './decoding.ts'

export type EncodedCall =
  | { readonly kind: 'encoded'; readonly data: `0x${string}` }
  /** `parameter`: position of the wrong one. */
  | { readonly kind: 'invalid'; readonly parameter: number; readonly message: string }

/** Whether a function only reads. */
export function isReading(item: AbiFunction): boolean {
  const { stateMutability } = item
  // Before Solidity 0.4.16 ABIs had `constant` instead.
  if (stateMutability === undefined) return (item as { constant?: unknown }).constant === true
  return stateMutability === 'view' || stateMutability === 'pure'
}

/** A function with the types of its parameters, which overloads differ in. */
export function functionText({ name, inputs }: AbiFunction): string {
  return `${name}(${inputs.map(({ type, name: of }) => (of ? `${type} ${of}` : type)).join(', ')})`
}

/**
 * The input of a call from texts as people type them: numbers in decimal or hex, arrays and tuples as JSON.
 *
 * @param texts one by parameter
 */
export function encodedInput(item: AbiFunction, texts: readonly string[]): EncodedCall {
  const values: unknown[] = []
  for (const [position, parameter] of item.inputs.entries()) {
    try {
      values.push(valueFrom(parameter, texts[position] ?? ''))
    } catch (error) {
      return { kind: 'invalid', parameter: position, message: messageOf(error) }
    }
  }
  try {
    return { kind: 'encoded', data: encodeFunctionData({ abi: [item], functionName: item.name, args: values }) }
  } catch (error) {
    return { kind: 'invalid', parameter: 0, message: messageOf(error) }
  }
}

/** The results of a call; `undefined` if the output does not fit the ABI, as that of an address without code. */
export function decodeResults(item: AbiFunction, output: string): readonly DecodedValue[] | undefined {
  try {
    const values = decodeAbiParameters(item.outputs, output as `0x${string}`) as readonly unknown[]
    return item.outputs.map((parameter, position) => decodedValue(parameter.name ?? '', parameter, values[position]))
  } catch {
    return undefined
  }
}

/** @throws Error that says what to write */
function valueFrom(parameter: AbiParameter, text: string): unknown {
  const { type } = parameter
  if (type.endsWith(']') || type.startsWith('tuple')) return fromJson(parameter, parseJson(type, text))
  return plainValue(type, text)
}

function parseJson(type: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${type}: write JSON, with large numbers in quotes, as in ["1", "2"]`)
  }
}

function fromJson(parameter: AbiParameter, json: unknown): unknown {
  const { type } = parameter
  if (type.endsWith(']')) {
    if (!Array.isArray(json)) throw new Error(`${type}: write an array, as in ["1", "2"]`)
    const item = { ...parameter, type: type.replace(/\[\d*\]$/, '') }
    return json.map((each) => fromJson(item, each))
  }
  const components = (parameter as { components?: readonly AbiParameter[] }).components
  if (components === undefined) {
    // A number beyond 2^53 has lost digits before it can be seen here.
    if (typeof json === 'number' && !Number.isSafeInteger(json)) throw new Error(`${type}: write ${json} in quotes`)
    return plainValue(type, typeof json === 'string' ? json : String(json))
  }
  const members = (json ?? {}) as Readonly<Record<string | number, unknown>>
  const values = components.map((component, index) => {
    const value = Array.isArray(json) ? json[index] : members[component.name ?? index]
    if (value === undefined) throw new Error(`${type}: ${component.name || `member ${index}`} is missing`)
    return [component.name || String(index), fromJson(component, value)] as const
  })
  // Tuples with unnamed members are arrays.
  return components.every(({ name }) => name) ? Object.fromEntries(values) : values.map(([, value]) => value)
}

function plainValue(type: string, text: string): unknown {
  const trimmed = text.trim()
  if (/^u?int\d*$/.test(type)) {
    if (!/^-?(?:\d[\d_,]*|0x[0-9a-fA-F]+)$/.test(trimmed)) throw new Error(`${type}: write a whole number, as in 1000`)
    return BigInt(trimmed.replaceAll(/[_,]/g, ''))
  }
  if (type === 'bool') {
    if (trimmed !== 'true' && trimmed !== 'false') throw new Error('bool: write true or false')
    return trimmed === 'true'
  }
  if (type === 'address') {
    if (!/^0x[0-9a-fA-F]{40}$/.test(trimmed)) throw new Error('address: write 0x and 40 hex digits')
    // A wrong checksum would be refused, and many tools give addresses in one case.
    return trimmed.toLowerCase()
  }
  if (type.startsWith('bytes')) {
    if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(trimmed)) throw new Error(`${type}: write whole bytes in hex, as in 0x00ff`)
    return trimmed
  }
  return text
}

/** The first line: viem adds its version. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.split('\n')[0]! : String(error)
}
