import type { FindDeclaration } from './solidity-type.ts'
import {
  childrenOf,
  contains,
  isSyntaxNode,
  nodesIn,
  rangeOf,
  type SourceRange,
  type SyntaxNode,
} from './syntax-tree.ts'

/** A function, a modifier, or the getter of a public variable. */
export interface SolidityFunction {
  readonly id: number
  /** Empty for a function of a file that belongs to no contract. */
  readonly contract: string
  /** Identifier of the contract: files may have contracts of the same name. */
  readonly contractId: number | undefined
  /** `constructor`, `receive` and `fallback` have these names. */
  readonly name: string
  readonly kind: 'function' | 'constructor' | 'receive' | 'fallback' | 'modifier' | 'getter' | 'free'
  readonly range: SourceRange
  /** Absent without an implementation. */
  readonly body?: SourceRange
  /** Four bytes of a function that can be called from outside, without `0x`. */
  readonly selector?: string
  readonly parameters: readonly SyntaxNode[]
  readonly returns: readonly SyntaxNode[]
  readonly node: SyntaxNode
}

export interface ContractRange {
  readonly id: number
  readonly name: string
  readonly kind: string
  readonly range: SourceRange
  /** Identifiers of the contract and of its bases, the most derived one first. */
  readonly bases: readonly number[]
}

/** A statement, which a step of a debugger may stop at and which coverage counts. */
export interface StatementRange {
  readonly kind: string
  readonly range: SourceRange
}

/** An `if`, or a conditional expression. */
export interface BranchRange {
  readonly kind: 'IfStatement' | 'Conditional'
  readonly range: SourceRange
  readonly whenTrue: SourceRange
  /** Absent for an `if` without `else`. */
  readonly whenFalse?: SourceRange
}

/** What the syntax trees of sources that were compiled together declare. */
export class SyntaxIndex {
  readonly functions: readonly SolidityFunction[]
  readonly contracts: readonly ContractRange[]
  readonly statements: readonly StatementRange[]
  readonly #declarations = new Map<number, SyntaxNode>()
  readonly #byRange = new Map<string, SolidityFunction>()
  readonly #byId: ReadonlyMap<number, SolidityFunction>
  readonly #branches: ReadonlyMap<string, BranchRange>
  readonly #contractRanges: ReadonlySet<string>
  readonly #blockRanges: ReadonlySet<string>
  readonly #functionsByFile: ReadonlyMap<number, readonly SolidityFunction[]>
  readonly #statementsByFile: ReadonlyMap<number, readonly StatementRange[]>

  /** @param trees one for each file that has one; nodes of an unknown form are passed over */
  constructor(trees: readonly unknown[]) {
    const found: Found = {
      functions: [],
      contracts: [],
      statements: [],
      branches: [],
      blocks: [],
      declarations: this.#declarations,
    }
    for (const tree of trees) if (isSyntaxNode(tree)) visit(tree, undefined, found)
    this.functions = found.functions
    this.contracts = found.contracts
    this.statements = found.statements
    this.#byId = new Map(found.functions.map((each) => [each.id, each]))
    this.#branches = new Map(found.branches.map((branch) => [keyOf(branch.range), branch]))
    this.#contractRanges = new Set(found.contracts.map(({ range }) => keyOf(range)))
    this.#blockRanges = new Set(found.blocks.map(keyOf))
    for (const each of found.functions) this.#byRange.set(keyOf(each.range), each)
    this.#functionsByFile = byFile(found.functions)
    this.#statementsByFile = byFile(found.statements.filter(({ kind }) => !COMPOUND_STATEMENTS.has(kind)))
  }

  readonly find: FindDeclaration = (id) => this.#declarations.get(id)

  functionOf(id: number): SolidityFunction | undefined {
    return this.#byId.get(id)
  }

  /** The function with exactly this range: code that enters it has the range. */
  functionWithRange(range: SourceRange): SolidityFunction | undefined {
    return this.#byRange.get(keyOf(range))
  }

  /** The branch with exactly this range: the jump on its condition has the range. */
  branchWithRange(range: SourceRange): BranchRange | undefined {
    return this.#branches.get(keyOf(range))
  }

  /** Whether the range is a whole contract: code that selects a function has it. */
  isContract(range: SourceRange): boolean {
    return this.#contractRanges.has(keyOf(range))
  }

  /** Whether the range is a whole block: code that drops its variables has it. */
  isBlock(range: SourceRange): boolean {
    return this.#blockRanges.has(keyOf(range))
  }

  /** The function whose text contains the range. */
  functionAround(range: SourceRange): SolidityFunction | undefined {
    return rangeAround(this.#functionsByFile.get(range.file), range)
  }

  /** The statement without a body whose text contains the range. */
  statementAround(range: SourceRange): StatementRange | undefined {
    return rangeAround(this.#statementsByFile.get(range.file), range)
  }
}

interface Found {
  readonly functions: SolidityFunction[]
  readonly contracts: ContractRange[]
  readonly statements: StatementRange[]
  readonly branches: BranchRange[]
  readonly blocks: SourceRange[]
  readonly declarations: Map<number, SyntaxNode>
}

function keyOf({ file, start, length }: SourceRange): string {
  return `${start}:${length}:${file}`
}

function visit(node: SyntaxNode, contract: SyntaxNode | undefined, found: Found): void {
  const { nodeType, id } = node
  if (id !== undefined) found.declarations.set(id, node)
  const within = nodeType === 'ContractDefinition' ? node : contract
  if (nodeType === 'ContractDefinition') found.contracts.push(contractRange(node))
  if (nodeType === 'FunctionDefinition' || nodeType === 'ModifierDefinition') {
    found.functions.push(functionOf(node, contract))
  } else if (nodeType === 'VariableDeclaration' && node.functionSelector !== undefined) {
    found.functions.push(getterOf(node, contract))
  } else if (BLOCKS.has(nodeType)) {
    found.blocks.push(rangeOf(node))
  } else if (STATEMENTS.has(nodeType)) {
    found.statements.push({ kind: nodeType, range: rangeOf(node) })
  }
  const branch = branchOf(node)
  if (branch !== undefined) found.branches.push(branch)
  for (const child of childrenOf(node)) visit(child, within, found)
}

const BLOCKS: ReadonlySet<string> = new Set(['Block', 'UncheckedBlock', 'YulBlock'])

/** Statements that do something themselves; blocks only hold others. */
const STATEMENTS: ReadonlySet<string> = new Set([
  'Break',
  'Continue',
  'DoWhileStatement',
  'EmitStatement',
  'ExpressionStatement',
  'ForStatement',
  'IfStatement',
  'InlineAssembly',
  'Return',
  'RevertStatement',
  'TryStatement',
  'VariableDeclarationStatement',
  'WhileStatement',
])

/** Statements whose parts are executed on lines of their own. */
const COMPOUND_STATEMENTS: ReadonlySet<string> = new Set([
  'DoWhileStatement',
  'ForStatement',
  'IfStatement',
  'InlineAssembly',
  'TryStatement',
  'WhileStatement',
])

interface Ranged {
  readonly range: SourceRange
}

/** Items by file, in the order of their beginnings. */
function byFile<Item extends Ranged>(items: readonly Item[]): ReadonlyMap<number, readonly Item[]> {
  const files = new Map<number, Item[]>()
  for (const item of items) {
    const file = files.get(item.range.file)
    if (file === undefined) files.set(item.range.file, [item])
    else file.push(item)
  }
  for (const file of files.values()) file.sort((a, b) => a.range.start - b.range.start)
  return files
}

/** The item that contains the range, among items that do not overlap. */
function rangeAround<Item extends Ranged>(items: readonly Item[] = [], range: SourceRange): Item | undefined {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (items[middle]!.range.start <= range.start) low = middle + 1
    else high = middle
  }
  const found = items[low - 1]
  return found !== undefined && contains(found.range, range) ? found : undefined
}

function contractRange(node: SyntaxNode): ContractRange {
  const bases = (node.linearizedBaseContracts as readonly number[] | undefined) ?? []
  return { id: node.id ?? -1, name: String(node.name), kind: String(node.contractKind), range: rangeOf(node), bases }
}

function branchOf(node: SyntaxNode): BranchRange | undefined {
  const { nodeType: kind } = node
  if (kind !== 'IfStatement' && kind !== 'Conditional') return undefined
  const [whenTrue, whenFalse] =
    kind === 'IfStatement' ? [node.trueBody, node.falseBody] : [node.trueExpression, node.falseExpression]
  if (!isSyntaxNode(whenTrue)) return undefined
  const range = rangeOf(node)
  return { kind, range, whenTrue: rangeOf(whenTrue), ...(isSyntaxNode(whenFalse) && { whenFalse: rangeOf(whenFalse) }) }
}

function functionOf(node: SyntaxNode, contract: SyntaxNode | undefined): SolidityFunction {
  const kind = kindOf(node)
  const name = kind === 'function' || kind === 'free' || kind === 'modifier' ? String(node.name) : kind
  return {
    id: node.id ?? -1,
    contract: contract?.name ?? '',
    contractId: contract?.id,
    name: name === '' ? 'fallback' : name,
    kind,
    range: rangeOf(node),
    ...(isSyntaxNode(node.body) && { body: rangeOf(node.body) }),
    ...(node.functionSelector !== undefined && { selector: node.functionSelector }),
    parameters: nodesIn(node.parameters),
    returns: nodesIn(node.returnParameters),
    node,
  }
}

function kindOf({ nodeType, kind, isConstructor }: SyntaxNode): SolidityFunction['kind'] {
  if (nodeType === 'ModifierDefinition') return 'modifier'
  if (isConstructor === true || kind === 'constructor') return 'constructor'
  if (kind === 'receive' || kind === 'fallback') return kind
  return kind === 'freeFunction' ? 'free' : 'function'
}

function getterOf(node: SyntaxNode, contract: SyntaxNode | undefined): SolidityFunction {
  const range = rangeOf(node)
  return {
    id: node.id ?? -1,
    contract: contract?.name ?? '',
    contractId: contract?.id,
    name: String(node.name),
    kind: 'getter',
    range,
    selector: String(node.functionSelector),
    parameters: [],
    returns: [],
    node,
  }
}
