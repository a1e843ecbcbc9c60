import type { SuiteCase } from './suite-run.ts'

const TESTED =
  /^(?:Cancun|Prague|Osaka|(?:Shanghai|Cancun|Prague|Osaka|BPO1)To(?:Cancun|Prague|Osaka|BPO1|BPO2)AtTime15k)$/

/** Whether a case runs under a fork with which this node builds blocks, or a transition between two of them. */
export function hasTestedFork({ fork }: SuiteCase): boolean {
  return TESTED.test(fork)
}
