import type { SyntaxNode } from './syntax-tree.ts'

export type DataLocation = 'storage' | 'memory' | 'calldata'

/** A type of Solidity as far as its encoding needs it. Text is as in sources: `uint256`, `struct Pool.Slot`. */
export type SolidityType =
  | {
      readonly kind: 'value'
      readonly text: string
      readonly bytes: number
      readonly form: ValueForm
      readonly members?: readonly string[]
    }
  | { readonly kind: 'bytes'; readonly text: string; readonly isText: boolean }
  | { readonly kind: 'array'; readonly text: string; readonly item: SolidityType; readonly length: number | undefined }
  | { readonly kind: 'struct'; readonly text: string; readonly members: () => readonly TypedName[] }
  | { readonly kind: 'mapping'; readonly text: string }
  | { readonly kind: 'function'; readonly text: string; readonly isExternal: boolean }
  | { readonly kind: 'unknown'; readonly text: string }

/** How the bits of a word are read. */
export type ValueForm = 'unsigned' | 'signed' | 'bool' | 'address' | 'fixedBytes' | 'enum'

export interface TypedName {
  readonly name: string
  readonly type: SolidityType
}

/** Finds a struct, enumeration, contract or type by its identifier in the tree. */
export type FindDeclaration = (id: number) => SyntaxNode | undefined

/** The type in a declaration; `unknown` for what has no encoding. */
export function typeOf(typeName: unknown, find: FindDeclaration): SolidityType {
  const node = typeName as SyntaxNode | null | undefined
  switch (node?.nodeType) {
    case 'ElementaryTypeName':
      return elementaryType(String(node.name))
    case 'UserDefinedTypeName':
      return declaredType(node, find)
    case 'ArrayTypeName': {
      const item = typeOf(node.baseType, find)
      const length = arrayLength(node.length)
      if (length === 'unknown') return { kind: 'unknown', text: `${item.text}[…]` }
      return { kind: 'array', text: `${item.text}[${length ?? ''}]`, item, length }
    }
    case 'Mapping':
      return {
        kind: 'mapping',
        text: `mapping(${typeOf(node.keyType, find).text} => ${typeOf(node.valueType, find).text})`,
      }
    case 'FunctionTypeName':
      return { kind: 'function', text: 'function', isExternal: node.visibility === 'external' }
    default:
      return { kind: 'unknown', text: 'unknown' }
  }
}

/** A type of the language by its name; `unknown` for other names. */
export function elementaryType(name: string): SolidityType {
  if (name === 'bytes' || name === 'string') return { kind: 'bytes', text: name, isText: name === 'string' }
  const value = (form: ValueForm, bytes: number) => ({ kind: 'value', text: name, form, bytes }) as const
  switch (name) {
    case 'bool':
      return value('bool', 1)
    case 'address':
    case 'address payable':
      return value('address', 20)
    case 'byte':
      return value('fixedBytes', 1)
  }
  const [, word, digits] = /^(uint|int|bytes)(\d*)$/.exec(name) ?? []
  const size = Number(digits || 256)
  if (word === 'bytes' && size >= 1 && size <= 32) return value('fixedBytes', size)
  if (word === undefined || word === 'bytes' || size % 8 !== 0 || size < 8 || size > 256)
    return { kind: 'unknown', text: name }
  return value(word === 'int' ? 'signed' : 'unsigned', size / 8)
}

function declaredType(node: SyntaxNode, find: FindDeclaration): SolidityType {
  // Compilers before 0.8.0 name the declaration in the node itself, later ones in its path.
  const path = node.pathNode as SyntaxNode | undefined
  const declared = find(node.referencedDeclaration ?? path?.referencedDeclaration ?? Number.NaN)
  const text = String(declared?.canonicalName ?? declared?.name ?? path?.name ?? node.name ?? 'unknown')
  switch (declared?.nodeType) {
    case 'ContractDefinition':
      return { kind: 'value', text, form: 'address', bytes: 20 }
    case 'EnumDefinition': {
      const members = (declared.members as readonly SyntaxNode[]).map(({ name }) => String(name))
      return { kind: 'value', text, form: 'enum', bytes: 1, members }
    }
    case 'UserDefinedValueTypeDefinition':
      return { ...typeOf(declared.underlyingType, find), text }
    case 'StructDefinition': {
      const members = declared.members as readonly SyntaxNode[]
      return {
        kind: 'struct',
        text,
        members: () => members.map(({ name, typeName }) => ({ name: String(name), type: typeOf(typeName, find) })),
      }
    }
    default:
      return { kind: 'unknown', text }
  }
}

/** `undefined`: dynamic. Constants as lengths are not evaluated. */
function arrayLength(length: unknown): number | 'unknown' | undefined {
  if (length === undefined || length === null) return undefined
  const { nodeType, value } = length as { readonly nodeType?: string; readonly value?: string }
  return nodeType === 'Literal' && /^\d+$/.test(value ?? '') ? Number(value) : 'unknown'
}
