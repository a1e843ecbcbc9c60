import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { StartOptions } from '../flags/start-flags.ts'
import { developmentOf, type NodeHandle } from '../node/roles/node-handle.ts'
import { loadStateFile, stateFile, writeStateFile } from '../rpc/state-files/dump-file.ts'
import { StateDumpError } from '../rpc/state-files/state-dump-error.ts'

export type StateFileOptions = Pick<StartOptions, 'state' | 'loadState' | 'dumpState' | 'stateInterval'>

/** The file of `--state`, `--load-state` and `--dump-state`. */
export interface StateFile {
  /** Writes the state, if a flag asks for it. Failures are logged: the node ends anyway. */
  close(): Promise<void>
}

/**
 * Loads the state and begins to write it at intervals.
 *
 * @throws StateDumpError when the file is missing (unless it is that of `--state`) or invalid
 */
export async function openStateFile(
  { state, loadState = state, dumpState = state, stateInterval }: StateFileOptions,
  { node, log }: { readonly node: NodeHandle; readonly log: Logger },
): Promise<StateFile> {
  const isLoaded = loadState !== undefined && (await load(loadState, { node, log, isOptional: loadState === state }))
  if (dumpState === undefined) return { close: async () => undefined }
  await assertWritable(dumpState)
  // An unchanged chain has less than the file: the blocks and transactions of a dump are not loaded.
  const unchanged = isLoaded && loadState === dumpState ? node.view().head.sequence : undefined
  const write = async () => {
    if (node.view().head.sequence === unchanged) return
    try {
      await writeStateFile(dumpState, node, setImmediate)
    } catch (error) {
      log.error({ err: error, path: dumpState }, 'the state could not be written')
    }
  }
  let writing: Promise<void> | undefined
  const writeUnlessWriting = () => {
    writing ??= write().finally(() => {
      writing = undefined
    })
  }
  const timer = stateInterval === undefined ? undefined : setInterval(writeUnlessWriting, stateInterval * 1_000).unref()
  return {
    async close() {
      clearInterval(timer)
      await writing
      await write()
    },
  }
}

/** @throws StateDumpError when the folder of the file is missing or read-only: the state would be lost at the end */
async function assertWritable(path: string): Promise<void> {
  const folder = dirname(await stateFile(path))
  await access(folder, constants.W_OK).catch(() => {
    throw new StateDumpError(`the state cannot be written to ${path}: there is no writable folder ${folder}`)
  })
}

/** @returns whether it was loaded */
async function load(
  path: string,
  { node, log, isOptional }: { readonly node: NodeHandle; readonly log: Logger; readonly isOptional: boolean },
): Promise<boolean> {
  const development = developmentOf(node)
  if (development === undefined) throw new StateDumpError(`${path} cannot be loaded: this is no development node`)
  try {
    // The data directory may have gone on since the file was written.
    const isLoaded = await loadStateFile(path, { node, development }, { keepsChain: isOptional })
    if (!isLoaded)
      log.info({ path }, 'the state file is not loaded: the data directory has the same height or a higher one')
    return isLoaded
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isMissing && isOptional) return false
    if (isMissing) throw new StateDumpError(`there is no state file at ${path}`)
    throw error instanceof StateDumpError ? new StateDumpError(`${path}: ${error.message}`, error) : error
  }
}
