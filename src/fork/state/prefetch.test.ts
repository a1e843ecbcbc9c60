import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { COUNTER, type ForkedNode, openTestFork, startForkedNode } from '../../../test/support/forked-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import { HINT_METHODS } from '../upstream/fork-upstream.ts'

const HEIGHT = 4
const SLOT = bigintToSlot(0n)
const SENDER = DEVELOPMENT_ACCOUNTS[2]!.address

let upstream: ForkedNode
beforeAll(async () => {
  upstream = await startForkedNode()
})
afterAll(() => upstream.close())

test.each([
  ['proofs', []],
  ['values', ['eth_getProof', 'eth_getAccountInfo']],
])('prefetching reads the state of a call in at most two requests besides the hints (%s)', async (_, without) => {
  upstream.without = new Set(without)
  const fork = await openTestFork(upstream.proxy.url, { blockNumber: HEIGHT })
  onTestFinished(() => fork.close())
  const { requests } = upstream.proxy
  upstream.proxy.methods.length = 0

  await fork.prefetcher.prefetch({ from: SENDER, to: COUNTER, value: 0n, data: '0x', accessList: [] })

  const hints = upstream.proxy.methods.filter((name) => HINT_METHODS.some((hint) => hint === name))
  expect(hints.toSorted()).toEqual([...HINT_METHODS].toSorted())
  expect(upstream.proxy.requests - hints.length).toBeLessThanOrEqual(requests + 2)
  const original = upstream.node.node.view().state({ kind: 'number', number: HEIGHT })!
  expect(fork.state.storage(COUNTER, SLOT)).toBe(original.storage(COUNTER, SLOT))
  expect(fork.state.account(SENDER)).toEqual(original.account(SENDER))
})
