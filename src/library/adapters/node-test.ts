import { after, afterEach, before, beforeEach } from 'node:test'
import { createNode, type TickertapeNode } from '../create-node.ts'
import type { HexText } from '../development-provider.ts'
import type { TestNodeOptions } from './test-node.ts'

export type { TestNodeOptions } from './test-node.ts'

/**
 * Gives the tests of a file, or of the surrounding `describe`, a node: with `fresh` one each, otherwise a shared one
 * that returns after each test to the state before it.
 *
 * @returns the node of the running test
 * @example
 * const node = useNode({ mining: 'auto' })
 * test('mines', async () => { await node().mine() })
 */
export function useNode({ fresh = false, ...options }: TestNodeOptions = {}): () => TickertapeNode {
  let node: TickertapeNode | undefined
  let snapshot: HexText
  const current = () => {
    if (node === undefined) throw new Error('useNode has a node in tests and hooks only: call node() inside of one')
    return node
  }
  const open = async () => {
    node = await createNode(options)
  }
  const close = async () => {
    await node?.close()
    node = undefined
  }
  if (fresh) {
    beforeEach(open)
    afterEach(close)
    return current
  }
  before(open)
  after(close)
  beforeEach(async () => {
    snapshot = await current().snapshot()
  })
  afterEach(() => current().revert(snapshot))
  return current
}
