import type { ParityTrace } from '../../engine/trace/parity-tracer.ts'
import type { EntryFailure } from './error-reason.ts'

/**
 * Finds why a contract refused a call before any of its functions ran.
 *
 * @returns `undefined` if the execution failed otherwise, or the ABI is unknown
 */
export type FindEntryFailure = (trace: ParityTrace) => EntryFailure | undefined

/** A call or an estimate that is worth showing to a developer: it failed, or contracts used their console. */
export interface ReportedCall {
  readonly method: 'eth_call' | 'eth_estimateGas' | 'eth_fillTransaction'
  readonly trace: ParityTrace
}
