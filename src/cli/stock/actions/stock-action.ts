import type { Report } from '../report/report.ts'
import type { StockContext } from '../state/change.ts'

/**
 * Runs a command with parsed flags.
 *
 * @returns what is printed at the end; `undefined` for a command that has printed everything
 * @param args positional arguments in the order of their declaration
 * @throws StockError
 */
export type StockAction<Options> = (
  context: StockContext,
  args: readonly string[],
  options: Options,
) => Promise<Report | undefined>
