import type { StockContext } from './change.ts'
import type { Report } from './report/report.ts'

/**
 * What a command does, once its flags are read.
 *
 * @param args what stands behind its name, in the order of its declaration
 * @throws StockError
 */
export type StockAction<Options> = (context: StockContext, args: readonly string[], options: Options) => Promise<Report>
