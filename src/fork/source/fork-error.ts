import { CodedError } from '../../primitives/coded-error.ts'

/** Why something of a forked chain could not be read. */
export type ForkErrorCode =
  | 'FORK_UNREACHABLE'
  | 'FORK_TIMEOUT'
  | 'FORK_HTTP_STATUS'
  | 'FORK_RATE_LIMITED'
  | 'FORK_MALFORMED'
  | 'FORK_TOO_LARGE'
  /** The upstream does not offer the method. */
  | 'FORK_METHOD_UNSUPPORTED'
  /** Any other JSON-RPC error; `reply` has it. */
  | 'FORK_REFUSED'
  /** The upstream has the block, but no longer its state. */
  | 'FORK_STATE_PRUNED'
  | 'FORK_BLOCK_MISSING'
  | 'FORK_WRONG_CHAIN'
  /** The fork block was replaced at the upstream. */
  | 'FORK_BLOCK_REPLACED'
  /** A value contradicts the hash that commits to it. */
  | 'FORK_DATA_INVALID'
  /** A block, transaction or receipt of a form that this node does not know. */
  | 'FORK_DATA_UNKNOWN'
  /** Not cached, and `--fork-offline` forbids to ask. */
  | 'FORK_OFFLINE'
  /** The request was aborted, or the fork closed. */
  | 'FORK_STOPPED'

/** Errors that say something about the chain, not about the condition of the upstream. */
const LASTING: ReadonlySet<ForkErrorCode> = new Set([
  'FORK_STATE_PRUNED',
  'FORK_WRONG_CHAIN',
  'FORK_BLOCK_REPLACED',
  'FORK_DATA_INVALID',
  'FORK_DATA_UNKNOWN',
  'FORK_OFFLINE',
])

/**
 * Whether the same request may succeed later: when the upstream or the proxy in front of it is restarted, when another
 * node behind its address answers, or when the user names another upstream (`anvil_setRpcUrl`).
 */
export function mayPass(error: unknown): boolean {
  return error instanceof ForkError && !LASTING.has(error.code)
}

/** A JSON-RPC error of the upstream; its text contains no keys. */
export interface ForkErrorReply {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The message names the upstream without its keys, the method, and what to do. */
export class ForkError extends CodedError<ForkErrorCode> {
  override readonly name = 'ForkError'
  readonly reply: ForkErrorReply | undefined

  constructor(code: ForkErrorCode, message: string, reply?: ForkErrorReply) {
    super(code, message)
    this.reply = reply
  }
}
