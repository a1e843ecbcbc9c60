/** Why a command failed. */
export type StockErrorCode =
  | 'REFUSED'
  | 'REJECTED'
  | 'INVALID_INPUT'
  | 'STOCK_NOT_FOUND'
  | 'STOCK_AMBIGUOUS'
  | 'NODE_UNREACHABLE'
  | 'NODE_ERROR'
  | 'OUTCOME_UNKNOWN'
  | 'TIMED_OUT'

/** Meaning of each exit code for scripts; shown in `--help` and in `docs/cli.md`. */
export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'done, or a dry run that would succeed',
  1: 'the contract or the chain refuses: nothing changed',
  2: 'wrong usage, or there is no such stock: nothing was sent',
  3: 'the node cannot be reached, or answers with an error: nothing was sent',
  4: 'sent, but the outcome is not known: look for the transaction before sending again',
  5: 'the stock did not meet the conditions of wait in time',
}

/** The exit code for an error. */
export const EXIT_CODE_OF: Readonly<Record<StockErrorCode, number>> = {
  REFUSED: 1,
  REJECTED: 1,
  INVALID_INPUT: 2,
  STOCK_NOT_FOUND: 2,
  STOCK_AMBIGUOUS: 2,
  NODE_UNREACHABLE: 3,
  NODE_ERROR: 3,
  OUTCOME_UNKNOWN: 4,
  TIMED_OUT: 5,
}

/** An error whose message says what to do; `details` are for programs. */
export class StockError extends Error {
  override readonly name = 'StockError'
  readonly code: StockErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: StockErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.code = code
    this.details = details
  }

  get exitCode(): number {
    return EXIT_CODE_OF[this.code]
  }
}
