import type { Bytes } from '../../primitives/hex.ts'
import { type CompiledCode, codeTemplate, type FunctionDebugData } from '../bytecode/code-template.ts'
import { instructionIndexes } from '../bytecode/instructions.ts'
import { JUMPDEST_OPCODE } from '../bytecode/opcodes.ts'
import type { CompiledSources } from '../syntax/compiled-sources.ts'
import type { SourceFile } from '../syntax/source-file.ts'
import type { SolidityFunction } from '../syntax/syntax-index.ts'
import type { SourceRange } from '../syntax/syntax-tree.ts'
import { decodeSourceMap, type JumpKind, jumpKind, type SourceMap } from './source-map.ts'

/** Where an instruction comes from. */
export type CodeLocation =
  | SourceLocation
  /** The compiler added it, as code that decodes arguments. */
  | { readonly kind: 'generated' }
  /** There is no source map, or its source is missing. */
  | { readonly kind: 'unknown' }

export interface SourceLocation {
  readonly kind: 'source'
  readonly file: SourceFile
  readonly range: SourceRange
  /** Line of its beginning; the first one is 1. */
  readonly line: number
  /** In UTF-16 units; the first one is 1. */
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
  /** Absent outside of functions, and without a syntax tree. */
  readonly function?: SolidityFunction
  /** A whole contract, function or block: no statement, but code that enters or leaves it. */
  readonly isDeclaration: boolean
}

/** A function where it begins in code. */
export interface CodeFunction {
  /** As in sources, or the name of a generated function. */
  readonly name: string
  readonly source?: SolidityFunction
  /** Words that it takes from the stack, if the compiler tells. */
  readonly parameterSlots?: number
}

const GENERATED = { kind: 'generated' } as const
const UNKNOWN = { kind: 'unknown' } as const

/** Places in sources of the instructions of one code. */
export class CodeMap {
  /** Bytes; offsets are program counters. Empty for an interface. */
  readonly size: number
  readonly sourceMap: SourceMap
  readonly #sources: CompiledSources
  readonly #code: Bytes
  readonly #indexes: Int32Array
  readonly #functions = new Map<number, CodeFunction | undefined>()
  readonly #locations: (CodeLocation | undefined)[] = []
  /** By the program counter of their beginning; `undefined`: the compiler did not tell. */
  readonly #entries: ReadonlyMap<number, readonly [name: string, data: FunctionDebugData]> | undefined

  constructor(compiled: CompiledCode, sources: CompiledSources) {
    const code = codeTemplate(compiled)?.code ?? new Uint8Array(0)
    this.size = code.length
    this.#code = code
    this.sourceMap = decodeSourceMap(compiled.sourceMap ?? '')
    this.#sources = sources
    this.#indexes = instructionIndexes(code)
    this.#entries = compiled.functionDebugData && entriesOf(compiled.functionDebugData)
  }

  /** Index of the instruction in the source map; -1 for data, and behind the end of the map. */
  indexAt(programCounter: number): number {
    const index = this.#indexes[programCounter] ?? -1
    return index < this.sourceMap.length ? index : -1
  }

  /** Program counters of the instructions that the source map has. */
  *programCounters(): Generator<number> {
    for (let at = 0; at < this.size; at++) if (this.indexAt(at) !== -1) yield at
  }

  /** The instruction at a program counter; `undefined` behind the end of the code. */
  opcodeAt(programCounter: number): number | undefined {
    return this.#code[programCounter]
  }

  /** `undefined`: there is no source. */
  rangeAt(programCounter: number): SourceRange | undefined {
    const index = this.indexAt(programCounter)
    const { starts, lengths, files } = this.sourceMap
    if (index === -1 || files[index] === -1) return undefined
    return { file: files[index]!, start: starts[index]!, length: lengths[index]! }
  }

  jumpAt(programCounter: number): JumpKind {
    return jumpKind(this.sourceMap, this.indexAt(programCounter))
  }

  locationAt(programCounter: number): CodeLocation {
    const index = this.indexAt(programCounter)
    if (index === -1) return UNKNOWN
    this.#locations[index] ??= this.#located(programCounter)
    return this.#locations[index]
  }

  /** The function that begins at a JUMPDEST; `undefined`: none begins there, or it is not known. */
  functionAt(programCounter: number): CodeFunction | undefined {
    let found = this.#functions.get(programCounter)
    if (found === undefined && !this.#functions.has(programCounter)) {
      found = this.#beginningAt(programCounter)
      this.#functions.set(programCounter, found)
    }
    return found
  }

  #beginningAt(programCounter: number): CodeFunction | undefined {
    const { syntax } = this.#sources
    if (this.#entries === undefined) {
      const range = this.#code[programCounter] === JUMPDEST_OPCODE ? this.rangeAt(programCounter) : undefined
      const source = range && syntax.functionWithRange(range)
      return source && { name: source.name, source }
    }
    const [name, data] = this.#entries.get(programCounter) ?? []
    if (name === undefined || data === undefined) return undefined
    const { id, parameterSlots } = data
    const source = typeof id === 'number' ? syntax.functionOf(id) : undefined
    return {
      // As in `@transfer_42`.
      name: source?.name ?? name.replace(/^@(.*)_\d+$/, '$1'),
      ...(source && { source }),
      ...(typeof parameterSlots === 'number' && { parameterSlots }),
    }
  }

  #located(programCounter: number): CodeLocation {
    const range = this.rangeAt(programCounter)
    if (range === undefined) return GENERATED
    const file = this.#sources.files.get(range.file)
    // Generated sources have identifiers behind those of files.
    if (file === undefined) return GENERATED
    const { syntax } = this.#sources
    const end = range.start + range.length
    const around = syntax.functionAround(range)
    return {
      kind: 'source',
      file,
      range,
      line: file.lineAt(range.start),
      endLine: file.lineAt(end),
      // Counted when they are read: in a long line that takes milliseconds.
      get column() {
        return file.positionAt(range.start).column
      },
      get endColumn() {
        return file.positionAt(end).column
      },
      ...(around && { function: around }),
      isDeclaration: syntax.isContract(range) || syntax.isBlock(range) || syntax.functionWithRange(range) !== undefined,
    }
  }
}

function entriesOf(functions: Readonly<Record<string, FunctionDebugData>>) {
  const entries = new Map<number, readonly [name: string, data: FunctionDebugData]>()
  for (const [name, data] of Object.entries(functions)) {
    if (typeof data.entryPoint === 'number') entries.set(data.entryPoint, [name, data])
  }
  return entries
}
