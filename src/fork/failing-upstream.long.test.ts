import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { COUNTER, type ForkedNode, openTestFork, startForkedNode } from '../../test/support/forked-node.ts'
import { normal } from '../../test/support/normal-value.ts'
import { testRandom } from '../../test/support/test-seed.ts'
import { FAULTS, type Fault, HUGE_BYTES, startUnreliableUpstream } from '../../test/support/unreliable-upstream.ts'
import { DEVELOPMENT_ACCOUNTS } from '../chain/accounts/development-accounts.ts'
import { bigintToSlot } from '../primitives/quantity.ts'
import { whenLoaded } from '../state/missing-state.ts'
import type { StateReader } from '../state/state-reader.ts'
import { ForkError, type ForkErrorCode } from './source/fork-error.ts'
import type { StateAccess } from './source/fork-point.ts'

const HEIGHT = 4
const SLOT = bigintToSlot(0n)
/** Sends transactions in block 1 of the other chain only. */
const OTHER_SENDER = DEVELOPMENT_ACCOUNTS[8]!.address

let upstream: ForkedNode
beforeAll(async () => {
  upstream = await startForkedNode()
})
afterAll(() => upstream.close())
beforeEach(() => {
  upstream.without = new Set()
  upstream.maxLogBlocks = 10_000
  upstream.proxy.faults = []
  upstream.proxy.methods.length = 0
})

/** The state of the upstream, as its own node reads it. */
function stateAt(number: number): StateReader {
  return upstream.node.node.view().state({ kind: 'number', number })!
}

async function codeOf(work: Promise<unknown>): Promise<ForkErrorCode> {
  const error = await work.then(
    () => expect.unreachable('succeeded'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ForkError)
  return (error as ForkError).code
}

test.each<[StateAccess, string[]]>([
  ['proofs', []],
  ['values', ['eth_getProof', 'eth_getAccountInfo']],
])(
  'an upstream that fails at random gives the right value or an error, never a wrong value (%s)',
  async (_, without) => {
    upstream.without = new Set(without)
    const random = testRandom()
    // Silence and `Retry-After` take time; the second node of the proxy is the same one here.
    const faults = FAULTS.filter((fault) => fault !== 'silence' && fault !== 'status429')
    // One round without faults, and one with more than the client retries; both outcomes occur in any case.
    const chosen: (readonly Fault[])[] = [[], new Array(5).fill('status500')]
    const isRight: boolean[] = []
    for (let round = 0; round < 40; round++) {
      upstream.proxy.faults = []
      const fork = await openTestFork(upstream.proxy.url, { blockNumber: HEIGHT }, { maxResponseBytes: HUGE_BYTES - 1 })
      const drawn = Array.from({ length: 5 }, () => faults[Math.floor(random() * faults.length)]!)
      upstream.proxy.faults = [...(chosen[round] ?? drawn)]
      try {
        expect(await whenLoaded(() => fork.state.account(COUNTER))).toEqual(stateAt(HEIGHT).account(COUNTER))
        expect(await whenLoaded(() => fork.state.storage(COUNTER, SLOT))).toBe(stateAt(HEIGHT).storage(COUNTER, SLOT))
        const block = await fork.chain.block(2)
        expect(normal(block)).toEqual(normal(upstream.node.node.view().block({ kind: 'number', number: 2 })!.block))
        isRight.push(true)
      } catch (error) {
        expect(error).toBeInstanceOf(ForkError)
        isRight.push(false)
      }
      await fork.close()
    }
    expect(isRight.slice(0, chosen.length)).toEqual([true, false])
  },
)

describe('a reorganisation at the fork block', () => {
  test.each<[StateAccess, string[], Fault[]]>([
    ['proofs', [], ['otherNode', 'otherNode']],
    ['values', ['eth_getProof', 'eth_getAccountInfo'], ['otherNode']],
  ])('is reported instead of state of another block (%s)', async (_, without, faults) => {
    const other = await startForkedNode({ rounds: 3 })
    const proxy = await startUnreliableUpstream(upstream.url, other.url)
    upstream.without = new Set(without)
    const fork = await openTestFork(proxy.url, { blockNumber: 1 })
    proxy.faults = faults
    const reading = Promise.resolve(whenLoaded(() => fork.state.account(OTHER_SENDER)))
    expect(await codeOf(reading)).toBe('FORK_BLOCK_REPLACED')
    await expect(reading).rejects.toThrow(/replaced the fork block 1 .*older --fork-block-number/)
    await fork.close()
    await proxy.close()
    await other.close()
  })
})
