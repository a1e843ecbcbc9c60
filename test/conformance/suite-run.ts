import { type BlockTestCase, runBlockTest } from './block-test-case.ts'
import { type CaseOutcome, failed } from './case-outcome.ts'
import { runStateTest, type StateTestCase } from './state-test-case.ts'
import { type CaseMark, casesMarked, SuiteError, type SuiteFile, suiteFiles } from './suite-files.ts'

/** `state`: one transaction each. `blocks`: a genesis and a few blocks each. */
export type SuiteKind = 'state' | 'blocks'

export interface SuiteCase {
  readonly id: string
  /** Upstream name of the fork, or of the transition between two. */
  readonly fork: string
  readonly run: () => Promise<CaseOutcome>
}

export type CaseFilter = (one: SuiteCase) => boolean

export interface SuiteFailure {
  readonly file: string
  readonly id: string
  readonly reason: string
}

export interface SuiteReport {
  readonly passed: number
  readonly failed: number
  readonly failures: readonly SuiteFailure[]
  /** Cases that passed although the reason of a rejection differs from the suite's. */
  readonly warnings: readonly SuiteFailure[]
}

const MARKS: Readonly<Record<SuiteKind, CaseMark>> = { state: 'post', blocks: 'blocks' }

/**
 * Runs the cases of a folder that `filter` accepts, in order.
 *
 * @param onFile called after each file with the totals so far
 * @throws SuiteError when the folder holds no such cases
 */
export async function runSuite(
  kind: SuiteKind,
  folder: string,
  filter: CaseFilter,
  onFile: (file: string, sum: SuiteReport) => void = () => {},
): Promise<SuiteReport> {
  const failures: SuiteFailure[] = []
  const warnings: SuiteFailure[] = []
  let passed = 0
  for (const file of suiteFiles(folder)) {
    const cases = suiteCases(kind, file).filter(filter)
    for (const { id, run } of cases) {
      const outcome = await run().catch((error: unknown) => failed(`threw ${error}`))
      if (outcome.kind === 'failed') {
        failures.push({ file: file.path, id, reason: outcome.reason })
        continue
      }
      passed += 1
      for (const reason of outcome.warnings) warnings.push({ file: file.path, id, reason })
    }
    if (cases.length > 0) onFile(file.path, { passed, failed: failures.length, failures, warnings })
  }
  if (passed + failures.length === 0) {
    throw new SuiteError(`${folder} holds no ${DESCRIPTIONS[kind]} of the selection`)
  }
  return { passed, failed: failures.length, failures, warnings }
}

const DESCRIPTIONS: Readonly<Record<SuiteKind, string>> = { state: 'state tests', blocks: 'blockchain tests' }

/** The cases of a file; a state test is one case for each fork and each transaction. */
export function suiteCases(kind: SuiteKind, file: SuiteFile): readonly SuiteCase[] {
  return casesMarked(file, MARKS[kind]).flatMap(([id, testCase]): readonly SuiteCase[] => {
    if (kind === 'blocks') {
      const test = testCase as BlockTestCase
      return [{ id, fork: test.network, run: () => runBlockTest(test) }]
    }
    const test = testCase as StateTestCase
    return Object.entries(test.post).flatMap(([fork, entries]) =>
      entries.map((expected, index) => ({
        id: Object.keys(test.post).length * entries.length === 1 ? id : `${id} ${fork}[${index}]`,
        fork,
        run: () => runStateTest(test, fork, expected),
      })),
    )
  })
}
