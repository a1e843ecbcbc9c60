import type { Hex } from '../../primitives/hex.ts'
import { COMPILE_LIMITS, runInProcess } from '../compiler/compile-process.ts'
import type { BuiltContract } from './read-build-infos.ts'

/** The one message to the process. */
export interface BuiltRequest {
  /** Folder with build information. */
  readonly folder: string
  /** Of the contract on the chain. */
  readonly code: Hex
}

/** Its reply; without a contract, if the project has none with the code. */
export interface BuiltReply {
  readonly contract?: BuiltContract
}

/** Build information has the input and the output of the compiler for all contracts of a project. */
const MAX_HEAP_MEGABYTES = 1_024

/**
 * Finds a contract by its code in the build information of a project, in a process of its own: the files may be large.
 *
 * @param signal ends it
 * @returns `undefined`: there is none, or the files cannot be read
 */
export async function findBuiltInProcess(
  request: BuiltRequest,
  signal?: AbortSignal,
): Promise<BuiltContract | undefined> {
  const program = new URL('./find-program.js', import.meta.url)
  const limits = { timeLimitMs: COMPILE_LIMITS.timeLimitMs, maxHeapMegabytes: MAX_HEAP_MEGABYTES }
  return (await runInProcess<BuiltReply>(program, request, limits, signal))?.contract
}
