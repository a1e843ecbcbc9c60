import type { TickertapeNode } from '../create-node.ts'
import type { NodeOptions } from '../node-options.ts'
import { withNode } from './test-node.ts'

/** Fixtures of a worker for `test.extend` of Playwright. */
export interface NodeWorkerFixtures {
  /** The node of the worker. */
  node: TickertapeNode
  /** Its URL, for the application in the browser. */
  nodeUrl: string
}

type WorkerFixture<Needed, Value> = [
  (needed: Needed, use: (value: Value) => Promise<void>) => Promise<void>,
  { scope: 'worker' },
]

/**
 * Fixtures for Playwright: a node per worker, served on a free port.
 *
 * @example
 * import { test as base } from '@playwright/test'
 * const test = base.extend<{}, NodeWorkerFixtures>(workerFixtures({ corsOrigins: ['http://localhost:3000'] }))
 */
export function workerFixtures(options: NodeOptions = {}): {
  node: WorkerFixture<object, TickertapeNode>
  nodeUrl: WorkerFixture<Pick<NodeWorkerFixtures, 'node'>, string>
} {
  return {
    node: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures that a fixture uses.
      ({}, use) => withNode(options, use),
      { scope: 'worker' },
    ],
    nodeUrl: [
      async ({ node }, use) => {
        const { url, close } = await node.listen()
        await use(url)
        await close()
      },
      { scope: 'worker' },
    ],
  }
}
