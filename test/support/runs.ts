/** Whether property tests run all of their cases, as in the vitest project `long`. */
export const runsAllCases = process.env.PROPERTY_CASES === 'all'
const SHARE_BEFORE_COMMIT = 10

/**
 * Cases of a property test in a `*.property.test.ts` file: a tenth in `npm test`, all in `npm run test:long`.
 * `FUZZ_RUNS` sets another number.
 */
export function propertyRuns(cases: number): number {
  if (process.env.FUZZ_RUNS !== undefined) return Number(process.env.FUZZ_RUNS)
  return runsAllCases ? cases : Math.ceil(cases / SHARE_BEFORE_COMMIT)
}
