import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Bytes } from '../../primitives/hex.ts'
import { hexOfBytes } from '../bytecode/portable-bytes.ts'
import type { ContractAbiItem, ContractAbiParameter } from '../compiled/solidity-contract.ts'
import { elementaryType, type SolidityType, type TypedName } from '../syntax/solidity-type.ts'
import { abiValues } from './encoded-values.ts'
import type { ValueBudget, VariableValue } from './variable-value.ts'

const SELECTOR_BYTES = 4

/** A call or an error in the terms of its ABI. */
export interface DecodedItem {
  readonly name: string
  /** As in `transfer(address,uint256)`. */
  readonly signature: string
  readonly values: readonly VariableValue[]
}

/** How a call is decoded. */
export interface DecodeOptions {
  /** Shared with other values of the same view. */
  readonly budget?: ValueBudget
  /** Its parameters as the source declares them, with the names of enumerations and structs. */
  readonly declared?: readonly TypedName[] | undefined
}

/** Decodes the input of a call; `undefined`: the ABI has no such function. */
export function decodedCall(
  abi: readonly ContractAbiItem[],
  input: Bytes,
  options: DecodeOptions = {},
): DecodedItem | undefined {
  return decodedItem(abi, 'function', input, options)
}

/** Errors of the language itself (docs.soliditylang.org, "Panic via assert and Error via require"). */
const BUILT_IN_ERRORS: readonly ContractAbiItem[] = [
  { type: 'error', name: 'Error', inputs: [{ name: 'message', type: 'string' }] },
  { type: 'error', name: 'Panic', inputs: [{ name: 'code', type: 'uint256' }] },
]

/** Decodes the data of a revert; `undefined`: it is no known error. */
export function decodedError(abi: readonly ContractAbiItem[], output: Bytes): DecodedItem | undefined {
  return decodedItem([...abi, ...BUILT_IN_ERRORS], 'error', output)
}

/** Arguments of a constructor behind its code. */
export function constructorArguments(
  abi: readonly ContractAbiItem[],
  input: Bytes,
  codeBytes: number,
  budget?: ValueBudget,
): readonly VariableValue[] {
  const item = abi.find(({ type }) => type === 'constructor')
  return abiValues(typedNames(item?.inputs), input.subarray(codeBytes), budget)
}

function decodedItem(
  abi: readonly ContractAbiItem[],
  kind: string,
  data: Bytes,
  { budget, declared }: DecodeOptions = {},
): DecodedItem | undefined {
  const item = itemWith(abi, kind, data)
  if (item === undefined) return undefined
  const parameters = typedNames(item.inputs)
  const types = declared?.length === parameters.length ? declared : parameters
  const values = abiValues(types, data.subarray(SELECTOR_BYTES), budget)
  return { name: item.name ?? '', signature: signatureOf(item), values }
}

function itemWith(abi: readonly ContractAbiItem[], kind: string, data: Bytes): ContractAbiItem | undefined {
  if (data.length < SELECTOR_BYTES) return undefined
  const selector = hexOfBytes(data, 0, SELECTOR_BYTES)
  return abi.find((item) => item.type === kind && selectorOfItem(item) === selector)
}

/** @example signatureOf(item) // 'swap(address,(uint256,bool)[])' */
export function signatureOf({ name, inputs = [] }: ContractAbiItem): string {
  return `${name}(${inputs.map(parameterText).join()})`
}

/** Four bytes with `0x`. */
export function selectorOfItem(item: ContractAbiItem): string {
  return hexOfBytes(keccak_256(new TextEncoder().encode(signatureOf(item))), 0, SELECTOR_BYTES)
}

function parameterText({ type, components = [] }: ContractAbiParameter): string {
  return type.startsWith('tuple') ? `(${components.map(parameterText).join()})${type.slice('tuple'.length)}` : type
}

function typedNames(parameters: readonly ContractAbiParameter[] = []): readonly TypedName[] {
  return parameters.map((parameter, index) => ({ name: parameter.name || `[${index}]`, type: abiType(parameter) }))
}

function abiType(parameter: ContractAbiParameter): SolidityType {
  const { type, components = [] } = parameter
  const [, inner, length] = /^(.*)\[(\d*)\]$/.exec(type) ?? []
  if (inner !== undefined) {
    const item = abiType({ ...parameter, type: inner })
    return { kind: 'array', text: `${item.text}[${length}]`, item, length: length === '' ? undefined : Number(length) }
  }
  if (type === 'tuple') return { kind: 'struct', text: 'tuple', members: () => typedNames(components) }
  if (type === 'function') return { kind: 'value', text: type, form: 'fixedBytes', bytes: 24 }
  return elementaryType(type)
}
