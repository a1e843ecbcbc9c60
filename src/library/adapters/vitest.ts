import type { TickertapeNode } from '../create-node.ts'
import { type TestNodeOptions, withNode, withReverted } from './test-node.ts'

export type { TestNodeOptions } from './test-node.ts'

type Use = (node: TickertapeNode) => Promise<void>

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
export function nodeFixtures({ fresh = false, ...options }: TestNodeOptions = {}) {
  return {
    sharedNode: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures that a fixture uses.
      ({}: object, use: Use) => withNode(options, use),
      { scope: 'file' },
    ] as [(context: object, use: Use) => Promise<void>, { scope: 'file' }],
    node: fresh
      ? // biome-ignore lint/correctness/noEmptyPattern: as above.
        ({}: object, use: Use) => withNode(options, use)
      : ({ sharedNode }: Pick<NodeFixtures, 'sharedNode'>, use: Use) => withReverted(sharedNode, use),
  }
}
