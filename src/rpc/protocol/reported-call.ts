import type { ParityTrace } from '../../engine/trace/parity-tracer.ts'

/** A call or an estimate that is worth showing to a developer: it failed, or contracts used their console. */
export interface ReportedCall {
  readonly method: 'eth_call' | 'eth_estimateGas' | 'eth_fillTransaction'
  readonly trace: ParityTrace
}
