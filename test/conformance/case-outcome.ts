/** What came of one case. `reason`: what is not as it must be, with expected and actual. */
export type CaseOutcome =
  | {
      readonly kind: 'passed'
      /** Bad blocks and transactions that were refused, but not for the reason that the suite names. */
      readonly warnings: readonly string[]
    }
  | { readonly kind: 'failed'; readonly reason: string }

export const PASSED: CaseOutcome = Object.freeze({ kind: 'passed', warnings: [] })

export function failed(reason: string): CaseOutcome {
  return { kind: 'failed', reason }
}
