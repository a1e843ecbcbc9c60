import type { Writable } from 'node:stream'
import type { Command } from 'commander'
import type { Logger } from 'pino'
import { withRedactedUrls } from '../../primitives/text/url-credentials.ts'

/** The process exits after this time even if handles are still open. */
const SHUTDOWN_LIMIT_MS = 5_000

/** Milliseconds between looks whether the shell of `npx` still runs. */
const NPX_INTERVAL_MS = 500

/** Exit code of every command for wrong usage. */
export const WRONG_USAGE = 2

/** Makes commander exit with `WRONG_USAGE` instead of 1, and show refused URLs without what may be secret. */
export function endingOnWrongUsage(command: Command): Command {
  command.configureOutput({ outputError: (text, write) => write(withRedactedUrls(text)) })
  return command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE))
}

/** Exits with 0 when the reader of a pipe, such as `head`, has read enough. */
export function exitWhenUnread(output: Writable): void {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
}

/**
 * Closes and exits with 0 on SIGINT or SIGTERM; exits with 1 on a second signal or when closing takes too long.
 *
 * @param isLimited called at the signal; false: closing may take any time. Default: 5 seconds
 */
export function stopOnSignals(
  close: () => Promise<void>,
  log: Logger,
  { isLimited = () => true }: { readonly isLimited?: () => boolean } = {},
): void {
  let isStopping = false
  const stop = (signal: NodeJS.Signals) => {
    // A second signal skips the orderly shutdown.
    if (isStopping) process.exit(1)
    isStopping = true
    log.info({ signal }, 'stopping')
    if (signal === 'SIGINT') process.stderr.write('\nStopping ...\n')
    if (isLimited()) setTimeout(() => process.exit(1), SHUTDOWN_LIMIT_MS).unref()
    void close().then(() => process.exit(0))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  onNpxEnd(() => stop('SIGTERM'))
}

/**
 * `npx` passes a signal on to its shell alone: the program would run on and keep its port. A program that another one
 * starts in the background has no `npx` as its parent, and keeps running.
 */
function onNpxEnd(stop: () => void): void {
  if (process.env.npm_command !== 'exec') return
  const shell = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    stop()
  }, NPX_INTERVAL_MS)
  timer.unref()
}
