import type { Command } from 'commander'
import type { Logger } from 'pino'

/** After this the process ends whatever is still open. */
const SHUTDOWN_LIMIT_MS = 5_000

/** What every command ends with when it is used wrongly; 1 says that something went wrong. */
export const WRONG_USAGE = 2

/** Ends the process with `WRONG_USAGE` where commander would end it with 1. */
export function endingOnWrongUsage(command: Command): Command {
  return command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE))
}

/** On SIGINT or SIGTERM closes and exits with 0; with 1 on a second one, or when closing takes too long. */
export function stopOnSignals(close: () => Promise<void>, log: Logger): void {
  let isStopping = false
  const stop = (signal: NodeJS.Signals) => {
    // Whoever asks twice does not want to wait.
    if (isStopping) process.exit(1)
    isStopping = true
    log.info({ signal }, 'stopping')
    if (signal === 'SIGINT') process.stderr.write('\nStopping ...\n')
    setTimeout(() => process.exit(1), SHUTDOWN_LIMIT_MS).unref()
    void close().then(() => process.exit(0))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

/**
 * What to do about an error of `listen`; `undefined`: it is another one.
 *
 * @param portFlags flags that choose a port, as people read them
 */
export function listenFailure(
  error: Error,
  { host, port }: { readonly host: string; readonly port: number },
  portFlags: string,
): string | undefined {
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') {
    const used = 'port' in error ? error.port : port
    return `port ${used} is in use: choose another with ${portFlags}, or 0 for any free one`
  }
  if (code === 'EACCES') return `no permission to listen on port ${port}: choose one above 1023 with --port`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is no address of this machine: choose another with --host`
  return undefined
}
