import { expect } from 'vitest'
import type { DevelopmentNode } from './development-nodes.ts'
import { type ExampleProject, exampleProject, type ProjectResult } from './example-project.ts'

const MIN_TESTS = 60
/** Milliseconds that a project may take, its installation included. */
export const TIMEOUT = 600_000

export const hardhatProject = exampleProject(
  'hardhat',
  ['node_modules/hardhat/internal/cli/bootstrap.js', 'test', '--network', 'node'],
  { passed: /(\d+) passing/, skipped: /(\d+) pending/ },
)
export const viemProject = exampleProject('viem', ['node_modules/vitest/vitest.mjs', 'run'], {
  passed: /Tests .*?(\d+) passed/,
  skipped: /Tests .*?(\d+) skipped/,
})

/**
 * Runs a project against a node of its own. Skips the test where packages cannot be installed.
 *
 * @param after runs before the node stops
 */
export async function runOn(
  context: { skip(note: string): void },
  project: ExampleProject,
  start: () => Promise<DevelopmentNode>,
  environment?: Record<string, string>,
  after: (url: string) => Promise<void> = async () => undefined,
): Promise<ProjectResult> {
  const obstacle = await project.install()
  if (obstacle !== undefined) {
    console.warn(`skipped: ${obstacle}`)
    context.skip(obstacle)
  }
  const node = await start()
  try {
    const url = `http://127.0.0.1:${node.port}`
    const result = await project.run(url, environment)
    await after(url)
    return result
  } finally {
    await node.stop()
  }
}

export function expectSuccess({ status, passed, output }: ProjectResult): void {
  expect(status, output).toBe(0)
  expect(passed, output).toBeGreaterThanOrEqual(MIN_TESTS)
}
