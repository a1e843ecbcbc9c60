import type { Bytes, Hex } from '../../primitives/hex.ts'
import type { CodeRange, CodeTemplate, NamedRange } from './code-template.ts'
import { sectionAt } from './metadata-sections.ts'
import { areSameBytes, hexOfBytes } from './portable-bytes.ts'

/** As Sourcify calls them: equal with the hash of the metadata, or equal but for the metadata. */
export type Match = 'exact_match' | 'match'

/** A change that turns the compiled code into the deployed one, as in Sourcify's API. */
export interface Transformation {
  readonly type: 'insert' | 'replace'
  readonly reason: 'constructorArguments' | 'library' | 'immutable' | 'cborAuxdata' | 'callProtection'
  readonly offset: number
  readonly id?: string
}

/** Values of the transformations. */
export interface TransformationValues {
  readonly constructorArguments?: Hex
  readonly callProtection?: Hex
  readonly libraries?: Readonly<Record<string, Hex>>
  readonly immutables?: Readonly<Record<string, Hex>>
  readonly cborAuxdata?: Readonly<Record<string, Hex>>
}

export interface CodeMatch {
  readonly match: Match
  readonly transformations: readonly Transformation[]
  readonly values: TransformationValues
}

const PUSH20 = 0x73
const ADDRESS_BYTES = 20

/** Compares the code of an account with compiled code; `undefined`: they differ by more than metadata. */
export function matchRuntimeCode(template: CodeTemplate, deployed: Bytes): CodeMatch | undefined {
  if (template.code.length !== deployed.length) return undefined
  const filled = filledTemplate(template, deployed)
  const metadata = matchMetadata(filled.code, deployed, template.metadata)
  return metadata && joined(filled, metadata)
}

/**
 * Compares the code that created a contract with compiled code.
 *
 * @param areArguments whether bytes are the encoded arguments of the constructor
 */
export function matchCreationCode(
  template: CodeTemplate,
  creation: Bytes,
  areArguments: (bytes: Bytes) => boolean,
): CodeMatch | undefined {
  const { length } = template.code
  if (creation.length < length) return undefined
  const rest = creation.subarray(length)
  if (!areArguments(rest)) return undefined
  const begin = creation.subarray(0, length)
  const filled = filledTemplate({ ...template, immutables: [] }, begin)
  const metadata = matchMetadata(filled.code, begin, template.metadata)
  if (metadata === undefined) return undefined
  const found = joined(filled, metadata)
  if (rest.length === 0) return found
  return {
    ...found,
    transformations: [...found.transformations, { type: 'insert', reason: 'constructorArguments', offset: length }],
    values: { ...found.values, constructorArguments: hexOfBytes(rest) },
  }
}

type Filled = Pick<CodeMatch, 'transformations' | 'values'> & { readonly code: Bytes }

/** The compiled code with the libraries, immutables and call protection of the deployed one. */
function filledTemplate({ code, libraries, immutables }: CodeTemplate, deployed: Bytes): Filled {
  const filled = Uint8Array.from(code)
  const isProtected = isCallProtected(code)
  const protection: readonly CodeRange[] = isProtected ? [{ start: 1, length: ADDRESS_BYTES }] : []
  for (const { start, length } of [...libraries, ...immutables, ...protection]) {
    filled.set(deployed.subarray(start, start + length), start)
  }
  const change = (reason: Transformation['reason']) => (range: NamedRange) =>
    ({ type: 'replace', reason, offset: range.start, id: range.name }) as const
  return {
    code: filled,
    transformations: [
      ...(isProtected ? [{ type: 'replace', reason: 'callProtection', offset: 1 } as const] : []),
      ...immutables.map(change('immutable')),
      ...libraries.map(change('library')),
    ],
    values: {
      ...(isProtected && { callProtection: hexOfBytes(deployed, 1, 1 + ADDRESS_BYTES) }),
      ...(immutables.length > 0 && { immutables: contentsOf(immutables, deployed) }),
      ...(libraries.length > 0 && { libraries: contentsOf(libraries, deployed) }),
    },
  }
}

/** A library begins with its own address, which its deployment writes (docs.soliditylang.org, "Call Protection"). */
function isCallProtected(code: Bytes): boolean {
  return code[0] === PUSH20 && code.subarray(1, 1 + ADDRESS_BYTES).every((byte) => byte === 0)
}

function contentsOf(ranges: readonly NamedRange[], code: Bytes): Readonly<Record<string, Hex>> {
  return Object.fromEntries(ranges.map(({ name, start, length }) => [name, hexOfBytes(code, start, start + length)]))
}

/** Code without a hash of metadata is never an exact match: other sources could give the same code. */
function matchMetadata(compiled: Bytes, deployed: Bytes, sections: readonly CodeRange[]): CodeMatch | undefined {
  if (areSameBytes(compiled, deployed)) {
    return { match: sections.length > 0 ? 'exact_match' : 'match', transformations: [], values: {} }
  }
  if (!areEqualBesides(sections, compiled, deployed)) return undefined
  const numbered = sections.map((section, index) => ({ ...section, name: `${index + 1}` }))
  return {
    match: 'match',
    transformations: numbered.map(({ start, name }) => ({
      type: 'replace',
      reason: 'cborAuxdata',
      offset: start,
      id: name,
    })),
    values: { cborAuxdata: contentsOf(numbered, deployed) },
  }
}

/** The deployed code must have metadata at the same places: anything else there would be code. */
function areEqualBesides(sections: readonly CodeRange[], compiled: Bytes, deployed: Bytes): boolean {
  const arePlaced = sections.every(({ start, length }) => sectionAt(deployed, start)?.length === length)
  if (!arePlaced) return false
  const masked = Uint8Array.from(compiled)
  for (const { start, length } of sections) masked.set(deployed.subarray(start, start + length), start)
  return areSameBytes(masked, deployed)
}

function joined({ transformations, values }: Filled, metadata: CodeMatch): CodeMatch {
  return {
    match: metadata.match,
    transformations: [...transformations, ...metadata.transformations],
    values: { ...values, ...metadata.values },
  }
}
