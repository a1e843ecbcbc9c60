import type { TickertapeNode } from '../create-node.ts'
import { NodeError } from '../node-error.ts'
import { type ReportFiles, startReports, writeReports } from '../reports.ts'
import { type TestNodeOptions, withNode, withReverted } from './test-node.ts'

export type { TestNodeOptions } from './test-node.ts'

type Use = (node: TickertapeNode) => Promise<void>

/** Options of a node for tests, and the reports on them. */
export interface VitestNodeOptions extends TestNodeOptions {
  /**
   * Writes the gas and the line coverage of the tests of a file after the last one, what the node reverts included.
   * Test files with the same options would overwrite each other's reports: give a function, which is called after the
   * last test of a file. Needs the shared node, so not `fresh`. Default: no reports.
   *
   * @example () => ({ artifacts: 'artifacts', lcov: `reports/${basename(expect.getState().testPath!)}.info` })
   */
  readonly reports?: ReportFiles | (() => ReportFiles) | undefined
}

/** Fixtures for `test.extend` of vitest. */
export interface NodeFixtures {
  /** The node of the file; absent with `fresh`. Tests use `node`. */
  sharedNode: TickertapeNode
  /** The node of a test. */
  node: TickertapeNode
}

/**
 * Fixtures for vitest: a node per file, which returns after each test to the state before it, or with `fresh` a node
 * per test.
 *
 * @example
 * import { test as base } from 'vitest'
 * const test = base.extend<NodeFixtures>(nodeFixtures({ mining: 'auto' }))
 * test('mines', async ({ node }) => { await node.mine() })
 */
export function nodeFixtures({ fresh = false, reports, ...options }: VitestNodeOptions = {}) {
  if (fresh && reports !== undefined) {
    throw new NodeError('INVALID_OPTION', 'reports need a node that tests share: leave out fresh, or reports')
  }
  const shared = (use: Use) =>
    withNode(options, async (node) => {
      if (reports === undefined) return use(node)
      await startReports(node)
      await use(node)
      await writeReports(node, typeof reports === 'function' ? reports() : reports)
    })
  return {
    sharedNode: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures that a fixture uses.
      ({}: object, use: Use) => shared(use),
      { scope: 'file' },
    ] as [(context: object, use: Use) => Promise<void>, { scope: 'file' }],
    node: fresh
      ? // biome-ignore lint/correctness/noEmptyPattern: as above.
        ({}: object, use: Use) => withNode(options, use)
      : ({ sharedNode }: Pick<NodeFixtures, 'sharedNode'>, use: Use) => withReverted(sharedNode, use),
  }
}
