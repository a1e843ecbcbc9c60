import { describe, expect, onTestFinished, test } from 'vitest'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { openFollower } from '../following/open-follower.ts'
import { LATEST } from '../view/block-reference.ts'
import { View } from '../view/view.ts'
import { MANUAL } from './mining-mode.ts'

const START = BigInt(Date.UTC(2026, 0, 1) / 1000)
const GENESIS = { kind: 'number', number: 0 } as const

async function open({ renewsGenesis, timestamp = START }: { renewsGenesis: boolean; timestamp?: bigint }) {
  const { genesis } = createNetwork({ timestamp: START })
  const manual = await startManualNode({ genesis, development: { mining: MANUAL, timestamp, renewsGenesis } })
  onTestFinished(() => manual.node.stop())
  const { node } = manual
  const { mining, snapshots } = node.development!
  return {
    ...manual,
    genesis,
    snapshots,
    block0: () => node.view().block(GENESIS)!.block,
    mine: async (blocks: number) => {
      await node.submit(signTransfer({ nonce: node.view().pendingNonce(signTransfer({ nonce: 0n }).from) }).raw)
      await mining.mine({ blocks })
    },
  }
}

describe('a complete reset that renews block 0', () => {
  test.each([
    ['before anything is stored', 0],
    ['of stored blocks', 3],
  ])('%s gives it the time of the reset, and block 1 a later one', async (_, blocks) => {
    const { node, clock, snapshots, block0, mine } = await open({ renewsGenesis: true })
    const { hash, header } = block0()
    if (blocks > 0) await mine(blocks)
    await node.idle()
    clock.moveTo(90_000)

    expect(await snapshots.reset('everything')).toBeUndefined()
    const renewed = block0()
    await mine(1)
    await node.idle()

    expect(renewed.header).toEqual({ ...header, timestamp: START + 90n })
    expect(block0()).toEqual(renewed)
    expect(node.view().blockHash(GENESIS)).toBe(renewed.hash)
    expect(node.view().block({ kind: 'hash', hash, requireCanonical: false })).toBeUndefined()
    const first = node.view().block(LATEST)!.block
    expect(first.header).toMatchObject({ number: 1, parentHash: renewed.hash, timestamp: START + 91n })
    expect(first.transactions).toHaveLength(1)
  })

  test('happens as often as it is reset, and keeps the state of block 0', async () => {
    const { node, clock, snapshots, block0, mine } = await open({ renewsGenesis: true })
    const { stateRoot } = block0().header
    for (const seconds of [10, 20, 30]) {
      await mine(2)
      clock.moveTo(seconds * 1_000)
      await snapshots.reset('everything')
      expect(block0().header).toMatchObject({ timestamp: START + BigInt(seconds), stateRoot })
    }
    expect(node.view().pendingNonce(signTransfer({ nonce: 0n }).from)).toBe(0n)
  })

  test('is followed by other threads', async () => {
    const { node, clock, genesis, snapshots, mine } = await open({ renewsGenesis: true })
    const { directory, ...position } = node.logPosition()
    const follower = await openFollower({ genesis, directory, finalityDepth: 64, retainedHeads: 4 })
    onTestFinished(() => follower.close())
    follower.start(position)
    await mine(3)
    clock.moveTo(90_000)
    await snapshots.reset('everything')
    await mine(1)
    const { head } = node.view()

    expect(follower.advance(head.sequence)).toBe(false)
    follower.start(node.logPosition())

    const followed = new View(follower.head(head.sequence)!, node.view().pool)
    expect(followed.blockHash(LATEST)).toBe(node.view().blockHash(LATEST))
    expect(followed.header(GENESIS)!.timestamp).toBe(START + 90n)
  })
})

test.each([
  ['of the chain alone', true, 'chain'],
  ['without renewal', false, 'everything'],
] as const)('a reset %s keeps block 0', async (_, renewsGenesis, scope) => {
  const { clock, snapshots, block0, mine } = await open({ renewsGenesis })
  const before = block0()
  await mine(2)
  clock.moveTo(90_000)

  await snapshots.reset(scope)

  expect(block0()).toEqual(before)
})
