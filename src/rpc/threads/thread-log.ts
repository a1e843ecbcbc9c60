import type { RpcLog } from '../protocol/rpc-client.ts'
import type { FromThread, LoggedDetail, LoggedError } from './messages.ts'

/**
 * Log of a worker thread. The main thread writes its lines, in its format and at its level.
 *
 * @param send posts to the main thread
 */
export function createThreadLog(send: (message: FromThread) => void): RpcLog {
  return { error: (details, message) => send({ kind: 'logged', details: plainDetails(details), message }) }
}

/** Structured-cloneable details: an error may have properties that are not. */
function plainDetails(details: object): Readonly<Record<string, LoggedDetail>> {
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [name, plainDetail(value)]))
}

function plainDetail(value: unknown): LoggedDetail {
  if (value instanceof Error) return postedError(value)
  return typeof value === 'number' ? value : String(value)
}

function postedError(error: Error): LoggedError {
  const { name, message, cause, stack } = error
  return {
    type: name,
    ...('code' in error && { code: String(error.code) }),
    message: cause instanceof Error ? `${message}: ${cause.message}` : message,
    stack,
  }
}
