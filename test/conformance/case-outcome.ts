/** Outcome of one case. `reason`: the mismatch, with expected and actual values. */
export type CaseOutcome =
  | {
      readonly kind: 'passed'
      /** Invalid blocks and transactions that were rejected for another reason than the suite's. */
      readonly warnings: readonly string[]
    }
  | { readonly kind: 'failed'; readonly reason: string }

export const PASSED: CaseOutcome = Object.freeze({ kind: 'passed', warnings: [] })

export function failed(reason: string): CaseOutcome {
  return { kind: 'failed', reason }
}
