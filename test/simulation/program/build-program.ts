import { builtinModules, type SourceMapPayload } from 'node:module'
import { join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { HOST_MODULES } from './host-modules.ts'

const ENTRY = 'test/simulation/guest/main.ts'

/** Sources that open real devices, and what a simulated process loads instead. */
const DIRECTORY = 'test/simulation/guest/data-directory.ts'
const REPLACED: Readonly<Record<string, string>> = {
  'src/node/core/data-directory.ts': DIRECTORY,
  'src/state/chain-store/open-chain-database.ts': DIRECTORY,
  'src/storage/directory-lock.ts': DIRECTORY,
  'src/storage/disk.ts': DIRECTORY,
}

/** A change of one source: the text must occur in it exactly once. */
export interface SourceChange {
  /** Path from the root of the repository. */
  readonly file: string
  readonly from: string
  readonly to: string
}

/** A module that a simulated process must not load, or a change that does not fit its source. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError'
}

/**
 * Joins the sources of a node into one script, which each simulated process evaluates for itself. Modules of Node and
 * native packages are those of `HOST_MODULES`: a source that imports another one fails the build.
 *
 * @param root of the repository
 * @throws ProgramError
 */
export async function buildProgram(root: string, changes: readonly SourceChange[] = []): Promise<string> {
  return (await buildMappedProgram(root, changes)).code
}

/** `buildProgram`, with the source map of its code. */
export async function buildMappedProgram(
  root: string,
  changes: readonly SourceChange[] = [],
): Promise<{ readonly code: string; readonly map: SourceMapPayload }> {
  const pending = new Set(changes)
  const build = await rolldown({
    input: join(root, ENTRY),
    platform: 'node',
    logLevel: 'silent',
    plugins: [simulatedModules(root), changedSources(root, pending)],
  })
  try {
    const { output } = await build.generate({ format: 'cjs', codeSplitting: false, sourcemap: 'hidden' })
    const [unused] = pending
    if (unused !== undefined) throw new ProgramError(`${unused.file} is no part of the program`)
    // The source map is a file as well.
    const [{ code, map }, ...others] = output
    const files = 1 + others.filter(({ type }) => type === 'chunk').length
    if (files !== 1) throw new ProgramError(`the program has ${files} files instead of one`)
    return { code, map: map as unknown as SourceMapPayload }
  } finally {
    await build.close()
  }
}

function simulatedModules(root: string): Plugin {
  return {
    name: 'simulated-modules',
    async resolveId(source, importer) {
      if (source.startsWith('.')) {
        const found = await this.resolve(source, importer, { skipSelf: true })
        const replacement = found === null ? undefined : REPLACED[pathWithin(root, found.id)]
        return replacement === undefined ? found : join(root, replacement)
      }
      const name = builtinModules.includes(source) ? `node:${source}` : source
      if (HOST_MODULES.includes(name)) return { id: name, external: true }
      if (!name.startsWith('node:')) return null
      throw new ProgramError(
        `${pathWithin(root, importer ?? '')} imports ${name}, which is not simulated: list or replace it`,
      )
    },
  }
}

/** Applies changes, and replaces `import.meta.url`, which a script lacks. */
function changedSources(root: string, pending: Set<SourceChange>): Plugin {
  return {
    name: 'changed-sources',
    transform(code, id) {
      const path = pathWithin(root, id)
      let changed = code
      for (const change of [...pending].filter(({ file }) => file === path)) {
        changed = changedOnce(changed, change)
        pending.delete(change)
      }
      changed = changed.replace(/import\.meta\.url/g, JSON.stringify(pathToFileURL(id).href))
      return changed === code ? null : changed
    },
  }
}

function changedOnce(code: string, { file, from, to }: SourceChange): string {
  const places = code.split(from).length - 1
  if (places !== 1) throw new ProgramError(`${file} has ${places} places with ${JSON.stringify(from)} instead of one`)
  return code.replace(from, () => to)
}

/** From the root of the repository, with slashes. */
function pathWithin(root: string, id: string): string {
  return relative(root, id).split(sep).join('/')
}
