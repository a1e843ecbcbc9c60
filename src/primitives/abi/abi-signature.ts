import { type Hex, hexWithin } from '../hex.ts'
import { keccak256 } from '../keccak.ts'

/** A parameter of an ABI item (docs.soliditylang.org, "JSON" in the ABI specification). */
export interface AbiParameter {
  readonly name?: string
  readonly type: string
  readonly components?: readonly AbiParameter[]
}

/** @example canonicalSignature({ name: 'f', inputs: [{ type: 'bool' }] }) // 'f(bool)' */
export function canonicalSignature({
  name = '',
  inputs = [],
}: {
  readonly name?: string
  readonly inputs?: readonly AbiParameter[]
}): string {
  return `${name}(${inputs.map(canonicalType).join()})`
}

function canonicalType({ type, components = [] }: AbiParameter): string {
  return type.startsWith('tuple') ? `(${components.map(canonicalType).join()})${type.slice('tuple'.length)}` : type
}

/** Parameter types with their names, and spaces between parameters. */
const DECLARED_PARAMETER = /([\w\])]+)(?: indexed)?(?: \w+)?(?=[,)])/g

/**
 * The signature of a function or an error in a human-readable ABI with canonical types, such as `contract-abis.json`.
 *
 * @example signatureOfDeclaration('function f(uint256 amount) view returns (bool)') // 'f(uint256)'
 */
export function signatureOfDeclaration(declaration: string): string {
  const begin = declaration.indexOf(' ') + 1
  const end = declaration.search(/\)(?: (?:view|pure|payable)| returns|$)/) + 1
  return declaration.slice(begin, end).replace(DECLARED_PARAMETER, '$1').replaceAll(', ', ',')
}

const SELECTOR_BYTES = 4

/** @example selectorOf('transfer(address,uint256)') // '0xa9059cbb' */
export function selectorOf(signature: string): Hex {
  return hexWithin(keccak256(new TextEncoder().encode(signature)), 0, SELECTOR_BYTES)
}
