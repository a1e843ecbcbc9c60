import type { Bytes } from '../../primitives/hex.ts'
import { bytesOfDigits } from './portable-bytes.ts'

export interface CodeRange {
  readonly start: number
  readonly length: number
}

/** A range that something else fills: an address of a library, or an immutable. */
export interface NamedRange extends CodeRange {
  readonly name: string
}

/** Compiled code before it is linked and deployed. */
export interface CodeTemplate {
  /** Zero where libraries that are not linked and immutables go. */
  readonly code: Bytes
  /** Named as in `contracts/Math.sol:Math`. */
  readonly libraries: readonly NamedRange[]
  /** Named by the identifier of the variable in the syntax tree. */
  readonly immutables: readonly NamedRange[]
  /** Hashes of metadata, also in the code of contracts that this one creates. */
  readonly metadata: readonly CodeRange[]
}

/** Where a function begins in code, and the words on the stack that it takes and returns. */
export interface FunctionDebugData {
  /** Absent or `null`: it was removed or inlined. */
  readonly entryPoint?: number | null
  /** Identifier in the syntax tree; absent or `null`: the function is generated. */
  readonly id?: number | null
  readonly parameterSlots?: number | null
  readonly returnSlots?: number | null
}

/** `evm.bytecode` or `evm.deployedBytecode` of the compiler (docs.soliditylang.org, "Output Description"). */
export interface CompiledCode {
  readonly object: string
  readonly sourceMap?: string
  /** Functions by their name in assembly, as in `@transfer_42` and `abi_decode_tuple_t_uint256`. */
  readonly functionDebugData?: Readonly<Record<string, FunctionDebugData>>
  readonly linkReferences?: Readonly<Record<string, Readonly<Record<string, readonly CodeRange[]>>>>
  readonly immutableReferences?: Readonly<Record<string, readonly CodeRange[]>>
  /** As `metadataSections`; no member of the compiler. */
  readonly metadata?: readonly CodeRange[]
}

/**
 * The template of compiled code; `undefined` if it is no code, as that of an interface.
 * Ranges outside the code are left out.
 */
export function codeTemplate({
  object: text,
  linkReferences = {},
  immutableReferences = {},
  metadata = [],
}: CompiledCode) {
  const object = text.startsWith('0x') ? text.slice(2) : text
  const size = object.length >> 1
  const named = (name: string, places: readonly CodeRange[]): readonly NamedRange[] =>
    places.flatMap(({ start, length }) => (start + length <= size ? [{ name, start, length }] : []))
  const libraries = Object.entries(linkReferences).flatMap(([file, ranges]) =>
    Object.entries(ranges).flatMap(([library, places]) => named(`${file}:${library}`, places)),
  )
  const digits = withoutPlaceholders(object, libraries)
  const code = bytesOfDigits(digits)
  if (code === undefined || code.length === 0) return undefined
  const immutables = Object.entries(immutableReferences).flatMap(([id, places]) => named(id, places))
  return { code, libraries, immutables, metadata } satisfies CodeTemplate
}

/** Placeholders of libraries are text, as in `__$53aea86b7d70b31448b230b20ae141a537$__`. */
function withoutPlaceholders(digits: string, libraries: readonly CodeRange[]): string {
  let linked = digits
  for (const { start, length } of libraries) {
    linked = linked.slice(0, 2 * start) + '00'.repeat(length) + linked.slice(2 * (start + length))
  }
  return linked
}
