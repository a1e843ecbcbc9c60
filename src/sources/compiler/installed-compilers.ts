import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { VerificationError } from '../source-error.ts'

/** A package `solc` of npm, which has the compiler as WebAssembly. */
export interface InstalledCompiler {
  /** @example '0.8.24' */
  readonly version: string
  readonly directory: string
}

/** Packages with these names are looked at: `solc`, and aliases such as `solc-0.8.24`. */
const CANDIDATE = /^solc\b/

/** The compilers in `node_modules` of these directories and of those above them; nearer ones first. */
export function installedCompilers(directories: readonly string[]): readonly InstalledCompiler[] {
  const folders = new Set(directories.flatMap(withParents).map((directory) => join(directory, 'node_modules')))
  return [...folders].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => CANDIDATE.test(name))
      .flatMap((name) => compilerAt(join(folder, name))),
  )
}

function withParents(directory: string): readonly string[] {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...withParents(parent)]
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

function compilerAt(directory: string): readonly InstalledCompiler[] {
  try {
    const { name, version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
    return name === 'solc' && typeof version === 'string' ? [{ version, directory }] : []
  } catch {
    return []
  }
}

/** As tools write it: `v0.8.24+commit.e11b9ed9`, `0.8.24`, `v0.8.24-nightly.2024.1.1+commit.…`. */
const VERSION = /^v?(\d+\.\d+\.\d+)(?:-[\w.]+)?(?:\+commit\.([0-9a-f]+))?/

/** A requested version. */
export interface CompilerVersion {
  readonly version: string
  /** Beginning of the hash of the compiler's commit. */
  readonly commit: string | undefined
}

/** @throws VerificationError `unsupported_compiler_version` */
export function compilerVersion(text: string): CompilerVersion {
  const [, version, commit] = VERSION.exec(text) ?? []
  if (version === undefined || text.includes('nightly')) {
    const problem = `the compiler version ${text.slice(0, 80)} is not supported: name a release, as in v0.8.24+commit.e11b9ed9`
    throw new VerificationError('unsupported_compiler_version', problem)
  }
  return { version, commit }
}

/** @throws VerificationError `unsupported_compiler_version`: says how to install it */
export function findCompiler(compilers: readonly InstalledCompiler[], wanted: string): InstalledCompiler {
  const found = compilers.find(({ version }) => version === wanted)
  if (found !== undefined) return found
  const alias = compilers.length === 0 ? `solc@${wanted}` : `solc-${wanted}@npm:solc@${wanted}`
  throw new VerificationError(
    'unsupported_compiler_version',
    `the compiler solc ${wanted} is not installed: npm install ${alias} in the folder where the node was started, ` +
      'or above it if that is a checkout of the node; no restart is needed',
  )
}
