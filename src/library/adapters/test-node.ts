import type { TickertapeNode } from '../create-node.ts'
import { createNode } from '../create-node.ts'
import type { NodeOptions } from '../node-options.ts'

/** Options of a node for tests: those of `createNode`, and how tests share it. */
export interface TestNodeOptions extends NodeOptions {
  /**
   * Whether each test gets a node of its own. Default: tests share a node, which returns after each of them to the
   * state before it.
   */
  readonly fresh?: boolean
}

/** Runs `use` with a node, which is closed afterwards. */
export async function withNode(options: NodeOptions, use: (node: TickertapeNode) => Promise<void>): Promise<void> {
  const node = await createNode(options)
  try {
    await use(node)
  } finally {
    await node.close()
  }
}

/** Runs `use` with a shared node, which then returns to the state before. */
export async function withReverted(node: TickertapeNode, use: (node: TickertapeNode) => Promise<void>): Promise<void> {
  const id = await node.snapshot()
  try {
    await use(node)
  } finally {
    await node.revert(id)
  }
}
