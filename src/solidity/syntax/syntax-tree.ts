/**
 * A node of the syntax tree of the compiler, as far as a debugger needs it (solc,
 * `libsolidity/ast/ASTJsonExporter.cpp`).
 */
export interface SyntaxNode {
  readonly nodeType: string
  /** `start:length:file` in bytes. */
  readonly src: string
  readonly id?: number
  readonly name?: string
  readonly kind?: string
  /** A contract: `contract`, `interface` or `library`. */
  readonly contractKind?: string
  readonly functionSelector?: string
  readonly visibility?: string
  readonly storageLocation?: string
  readonly stateVariable?: boolean
  readonly typeName?: SyntaxNode | null
  readonly referencedDeclaration?: number
  readonly [member: string]: unknown
}

/** A range of bytes in a file. */
export interface SourceRange {
  readonly file: number
  readonly start: number
  readonly length: number
}

/** Whether a range lies in another one of the same file. */
export function contains(outer: SourceRange, inner: SourceRange): boolean {
  if (outer.file !== inner.file) return false
  return outer.start <= inner.start && inner.start + inner.length <= outer.start + outer.length
}

/** @example rangeOf({ src: '120:14:0' }) // { start: 120, length: 14, file: 0 } */
export function rangeOf({ src }: Pick<SyntaxNode, 'src'>): SourceRange {
  const [start, length, file] = src.split(':').map(Number)
  return { start: start ?? -1, length: length ?? 0, file: file ?? -1 }
}

export function isSyntaxNode(value: unknown): value is SyntaxNode {
  const { nodeType, src } = (value ?? {}) as Readonly<Record<string, unknown>>
  return typeof nodeType === 'string' && typeof src === 'string'
}

/** The nodes in the members of a node, in the order of the text as far as the compiler keeps it. */
export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isSyntaxNode) : isSyntaxNode(value) ? [value] : [],
  )
}

/** Nodes in a member that is a list of them, or a node with such a list. */
export function nodesIn(value: unknown): readonly SyntaxNode[] {
  if (Array.isArray(value)) return value.filter(isSyntaxNode)
  return isSyntaxNode(value) ? nodesIn(value.parameters) : []
}

/** Members that nothing here reads: without them a tree has a fraction of its size. */
const UNUSED: ReadonlySet<string> = new Set([
  'argumentTypes',
  'commonType',
  'documentation',
  'exportedSymbols',
  'functionReturnParameters',
  'hexValue',
  'isConstant',
  'isInlineArray',
  'isLValue',
  'isPure',
  'isSlot',
  'lValueRequested',
  'literals',
  'memberLocation',
  'nameLocation',
  'nameLocations',
  'names',
  'nativeSrc',
  'overloadedDeclarations',
  'tryCall',
  'typeDescriptions',
])

/** A syntax tree without the members that a debugger does not read. */
export function prunedTree(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(prunedTree)
  if (typeof node !== 'object' || node === null) return node
  const members = Object.entries(node).filter(([name]) => !UNUSED.has(name))
  return Object.fromEntries(members.map(([name, value]) => [name, prunedTree(value)]))
}
