import { type SolidityType, type TypedName, typeOf } from '../syntax/solidity-type.ts'
import type { SolidityFunction, SyntaxIndex } from '../syntax/syntax-index.ts'
import {
  childrenOf,
  contains,
  isSyntaxNode,
  nodesIn,
  rangeOf,
  type SourceRange,
  type SyntaxNode,
} from '../syntax/syntax-tree.ts'

/** A variable on the stack. */
export interface StackVariable extends TypedName {
  readonly location: 'storage' | 'memory' | 'calldata' | 'value'
  readonly role: 'parameter' | 'return' | 'local'
  /** Words from the first parameter of the function. */
  readonly slot: number
  readonly slots: number
}

/**
 * The variables of a function that are declared at a place, in the order of the legacy code generator: parameters,
 * returned variables, for each modifier its parameters and variables, then variables of the body (solc,
 * `libsolidity/codegen/ContractCompiler.cpp`).
 *
 * @param at a range in the body of the function or of one of its modifiers
 * @param lineage of the contract that runs, from `contractLineage`: it may override modifiers
 */
export function stackVariables(
  called: SolidityFunction,
  at: SourceRange,
  syntax: SyntaxIndex,
  lineage: readonly number[],
): readonly StackVariable[] {
  const variables: StackVariable[] = []
  let slot = 0
  const add = (role: StackVariable['role'], declarations: readonly SyntaxNode[]): void => {
    for (const declaration of declarations) {
      const type = typeOf(declaration.typeName, syntax.find)
      const location = locationOf(declaration, type)
      const slots = slotsOnStack(type, location)
      variables.push({ name: declaration.name ?? '', type, location, role, slot, slots })
      slot += slots
    }
  }
  add('parameter', called.parameters)
  add('return', called.returns)
  for (const invocation of nodesIn(called.node.modifiers)) {
    const modifier = invokedModifier(invocation, syntax, lineage)
    if (modifier?.body === undefined) continue
    add('local', modifier.parameters)
    const isCurrent = contains(modifier.range, at)
    const place = isCurrent ? at : placeholderOf(modifier.node)
    if (place !== undefined) add('local', declaredAt(modifier.node.body, place))
    if (isCurrent) return named(variables)
  }
  if (called.body !== undefined && contains(called.body, at)) add('local', declaredAt(called.node.body, at))
  return named(variables)
}

/** Parameters and returned variables may have no name. */
function named(variables: readonly StackVariable[]): readonly StackVariable[] {
  return variables.filter(({ name }) => name !== '')
}

/** The modifier that runs: a virtual one is that of the most derived contract. */
function invokedModifier(
  { modifierName }: SyntaxNode,
  syntax: SyntaxIndex,
  lineage: readonly number[],
): SolidityFunction | undefined {
  if (!isSyntaxNode(modifierName)) return undefined
  const declared = syntax.functionOf(modifierName.referencedDeclaration ?? Number.NaN)
  if (declared?.kind !== 'modifier') return undefined
  // `Base.lock` is that of `Base`, and libraries are no bases.
  if (modifierName.name !== declared.name || !lineage.includes(declared.contractId ?? Number.NaN)) return declared
  const overriding = lineage.map((id) =>
    syntax.functions.find(({ kind, contractId, name, body }) => {
      return kind === 'modifier' && contractId === id && name === declared.name && body !== undefined
    }),
  )
  return overriding.find((one) => one !== undefined) ?? declared
}

function placeholderOf(node: SyntaxNode): SourceRange | undefined {
  if (node.nodeType === 'PlaceholderStatement') return rangeOf(node)
  for (const child of childrenOf(node)) {
    const found = placeholderOf(child)
    if (found !== undefined) return found
  }
  return undefined
}

/** Declarations in the blocks around a place that end before it. */
function declaredAt(node: unknown, at: SourceRange): readonly SyntaxNode[] {
  if (!isSyntaxNode(node) || !contains(rangeOf(node), at)) return []
  const declared: SyntaxNode[] = node.nodeType === 'TryCatchClause' ? [...nodesIn(node.parameters)] : []
  const children = childrenOf(node).toSorted((a, b) => rangeOf(a).start - rangeOf(b).start)
  for (const child of children) {
    const range = rangeOf(child)
    if (child.nodeType !== 'VariableDeclarationStatement') declared.push(...declaredAt(child, at))
    else if (range.start + range.length <= at.start) declared.push(...nodesIn(child.declarations))
  }
  return declared
}

function locationOf({ storageLocation }: SyntaxNode, type: SolidityType): StackVariable['location'] {
  const isReference = type.kind !== 'value' && type.kind !== 'function'
  if (!isReference) return 'value'
  return storageLocation === 'memory' || storageLocation === 'calldata' ? storageLocation : 'storage'
}

/** Words that a variable has on the stack. */
function slotsOnStack(type: SolidityType, location: StackVariable['location']): number {
  if (type.kind === 'function') return type.isExternal ? 2 : 1
  if (location !== 'calldata') return 1
  const isDynamic = type.kind === 'bytes' || (type.kind === 'array' && type.length === undefined)
  return isDynamic ? 2 : 1
}
