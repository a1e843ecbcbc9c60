import { jsonIn, objectIn } from '../../live/amount.ts'
import { visibleText } from './visible-text.ts'

/** The verified sources of a contract. */
export interface VerifiedFiles {
  /** Whether sources and settings are those of the deployment, not only the code. */
  readonly isExact: boolean
  /** As in `src/Token.sol:Token`. */
  readonly contract: string
  readonly compiler: string
  /** The file of the contract first. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

/** Files that are listed, and characters of each that are drawn. */
const MAX_FILES = 200
export const MAX_SOURCE_TEXT = 200_000
const MAX_NAME = 200

/** Path of the contract in the interface of Sourcify, with the members that `verifiedFiles` reads. */
export function verifiedFilesPath(chainId: bigint, address: string): string {
  return `verify/sourcify/v2/contract/${chainId}/${address}?fields=sources,compilation`
}

/** Reads a contract of Sourcify's interface; `undefined` if it is not verified. */
export function verifiedFiles(text: string): VerifiedFiles | undefined {
  const { match, sources, compilation } = objectIn(jsonIn(text))
  const { fullyQualifiedName, compilerVersion } = objectIn(compilation)
  const contract = nameOf(fullyQualifiedName)
  const files = Object.entries(objectIn(sources)).flatMap(([path, source]) => {
    const { content } = objectIn(source)
    return typeof content === 'string' ? [{ path: nameOf(path), text: content }] : []
  })
  if (typeof match !== 'string' || files.length === 0) return undefined
  const isOwn = (path: string) => contract.startsWith(`${path}:`)
  return {
    isExact: match === 'exact_match',
    contract,
    compiler: nameOf(compilerVersion),
    files: files.sort((a, b) => Number(isOwn(b.path)) - Number(isOwn(a.path))).slice(0, MAX_FILES),
  }
}

function nameOf(value: unknown): string {
  return typeof value === 'string' ? visibleText(value, MAX_NAME) : ''
}
