import { afterEach, describe, expect, test } from 'vitest'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { endAll, endLater, expectSame, follow, start } from '../../../test/support/replica-scene.ts'
import { caughtUp } from '../../../test/support/replicas.ts'
import type { Address } from '../../primitives/hex.ts'
import { MANUAL } from './mining-mode.ts'

afterEach(endAll)

const ACCOUNT = `0x${'00'.repeat(18)}beef` as Address
/** More than may wait for the store, although a snapshot holds them back. */
const MANY = 200

const PRUNED = { development: { mining: MANUAL }, history: 1, finalityDepth: 1 } as const

describe('a node with a short history', () => {
  test.each(['chain', 'everything'] as const)('refuses a revert to pruned state (%s) and runs on', async (scope) => {
    const { node } = await startManualNode(PRUNED)
    endLater(() => node.stop())
    const { mining, snapshots, state } = node.development!
    const id = Number(await snapshots.take())
    await mining.mine({ blocks: MANY })
    await node.idle()

    expect(await snapshots.revert(id, scope)).toMatchObject({ code: 'STATE_PRUNED', number: 0 })
    expect(await snapshots.rollback(MANY - 1)).toMatchObject({ code: 'STATE_PRUNED', number: 1 })
    expect(await snapshots.reset(scope)).toMatchObject({ code: 'STATE_PRUNED', number: 0 })

    expect(node.view().head.sealed.latest).toBe(MANY)
    await state.setBalance(ACCOUNT, 7n)
    await mining.mine({ blocks: 1 })
    expect(node.view().head.sealed.latest).toBe(MANY + 1)
  })
})

describe('a replica with a short history', () => {
  test('restores a snapshot when the leader reverts below its oldest state', async () => {
    const { node, stream } = await start({ development: { mining: MANUAL }, replayBlocks: 4 })
    const { mining, snapshots, state } = node.development!
    await mining.mine({ blocks: 2 })
    const id = Number(await snapshots.take())
    const replica = await follow(stream.url, { history: 1, replayBlocks: 1 })
    for (let wei = 1n; wei < 20n; wei++) {
      await state.setBalance(ACCOUNT, wei)
      await mining.mine({ blocks: 2 })
    }
    await caughtUp(replica, node)
    await replica.idle()

    expect(await snapshots.revert(id, 'chain')).toBe(true)
    await state.setBalance(ACCOUNT, 5n)

    await caughtUp(replica, node)
    await expectSame(replica, node)
    expect(replica.view().head.sealed.latest).toBe(2)
  })
})
