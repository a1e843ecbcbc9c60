import { test as base, describe, expect } from 'vitest'
import { type NodeFixtures, nodeFixtures } from './vitest.ts'

const shared = base.extend<NodeFixtures>(nodeFixtures({ mining: 'auto' }))
const fresh = base.extend<NodeFixtures>(nodeFixtures({ mining: 'auto', fresh: true }))

describe('a shared node', () => {
  const seen = new Set<object>()
  shared('is at block 0 for the first test', async ({ node }) => {
    seen.add(node)
    await node.mine(3)
    expect(await node.request({ method: 'eth_blockNumber' })).toBe('0x3')
  })

  shared('has returned to block 0 for the next test', async ({ node }) => {
    seen.add(node)
    expect(await node.request({ method: 'eth_blockNumber' })).toBe('0x0')
    expect(seen.size).toBe(1)
  })
})

describe('a fresh node', () => {
  const seen = new Set<object>()
  fresh('is another one', async ({ node }) => {
    seen.add(node)
    await node.mine(3)
  })

  fresh('for each test', async ({ node }) => {
    seen.add(node)
    expect(await node.request({ method: 'eth_blockNumber' })).toBe('0x0')
    expect(seen.size).toBe(2)
  })
})
