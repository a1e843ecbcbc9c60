import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type SourceErrorReason, VerificationError } from '../source-error.ts'
import type { Compilation, CompileReply, CompileRequest } from './compile-messages.ts'

/** Limits of one compilation. */
export interface CompileLimits {
  readonly timeLimitMs: number
  readonly maxMemoryBytes: number
}

export const COMPILE_LIMITS: CompileLimits = { timeLimitMs: 60_000, maxMemoryBytes: 512 * 2 ** 20 }

/** Beside the compiler's own memory: its input and output as text. */
const MAX_HEAP_MEGABYTES = 256

/**
 * Compiles in a process of its own, which ends with the compilation.
 *
 * @param signal ends it
 * @throws VerificationError
 */
export async function compileInProcess(
  request: Omit<CompileRequest, 'maxMemoryBytes'>,
  { timeLimitMs, maxMemoryBytes }: CompileLimits = COMPILE_LIMITS,
  signal?: AbortSignal,
): Promise<Compilation> {
  const limits = { timeLimitMs, maxHeapMegabytes: MAX_HEAP_MEGABYTES }
  const program = new URL('./compile-program.js', import.meta.url)
  const answer = await runInProcess<CompileReply>(program, { ...request, maxMemoryBytes }, limits, signal)
  if (answer?.kind === 'compiled') return answer.compilation
  if (answer?.kind === 'failed') throw new VerificationError(answer.code as SourceErrorReason, answer.message)
  const megabytes = Math.round(maxMemoryBytes / 2 ** 20)
  throw new VerificationError(
    'compiler_error',
    `the compiler ended without a result: it may take ${timeLimitMs / 1_000} s and ${megabytes} MiB`,
  )
}

export interface ProcessLimits {
  readonly timeLimitMs: number
  readonly maxHeapMegabytes: number
}

/**
 * Runs a program that ends with its one reply.
 *
 * @param signal ends it
 * @returns `undefined`: it ended before it replied
 */
export async function runInProcess<Reply>(
  program: URL,
  request: object,
  { timeLimitMs, maxHeapMegabytes }: ProcessLimits,
  signal?: AbortSignal,
): Promise<Reply | undefined> {
  const child = fork(fileURLToPath(program), [], {
    execArgv: [`--max-old-space-size=${maxHeapMegabytes}`],
    env: {},
    // A package may print anything: the log of the node is for its own messages.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    ...(signal && { signal, killSignal: 'SIGKILL' }),
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), timeLimitMs)
  try {
    return (await replyOf(child, request)) as Reply | undefined
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}

/** `undefined`: the process ended before it replied. */
function replyOf(child: ChildProcess, request: object): Promise<unknown> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(message))
    child.once('disconnect', () => resolve(undefined))
    // It cannot be started, or was ended by the signal.
    child.once('error', () => resolve(undefined))
    child.send(request, () => undefined)
  })
}
