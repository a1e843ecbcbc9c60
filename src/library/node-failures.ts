import type { StartOptions } from '../flags/start-flags.ts'
import { NodeError } from './node-error.ts'
import { withOptionNames } from './node-options.ts'

/** Every request after `close`. */
export function closedError(): NodeError {
  return new NodeError('NODE_CLOSED', 'the node is closed: create another one with createNode()')
}

/** Every request after the node failed. */
export function failureOf(error: unknown): NodeError {
  return new NodeError('NODE_FAILED', `the node has stopped: ${messageOf(error)}`, { cause: error })
}

/** Codes of errors about an option. */
const OPTION_CODES = new Set([
  'EXPOSED',
  'INVALID_GENESIS_FILE',
  'INVALID_MNEMONIC',
  'INVALID_REGISTRY',
  'INVALID_SCHEDULE',
])

/** The error of a start, as the library reports it. */
export function startFailureOf(error: unknown): NodeError {
  if (error instanceof NodeError) return error
  const code = codeOf(error)
  const isOption = code !== undefined && OPTION_CODES.has(code)
  return new NodeError(isOption ? 'INVALID_OPTION' : 'START_FAILED', withOptionNames(messageOf(error)), {
    cause: error,
  })
}

/** The error of `listen`. */
export function listenFailureOf(error: unknown, { host, port }: Pick<StartOptions, 'host' | 'port'>): NodeError {
  const code = codeOf(error)
  if (code === 'EXPOSED') return new NodeError('INVALID_OPTION', withOptionNames(messageOf(error)), { cause: error })
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is in use: choose another one, or 0 for any free one`,
    EACCES: `no permission to listen on port ${port}: choose one above 1023`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: choose another host`,
    ENOTFOUND: `${host} is not an address of this machine: choose another host`,
  }
  return new NodeError('LISTEN_FAILED', reasons[code ?? ''] ?? withOptionNames(messageOf(error)), { cause: error })
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
