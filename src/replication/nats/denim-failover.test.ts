import { describe, expect, test } from 'vitest'
import { comesToShow, expectOneChain, HandedLease, hasRole, latestOf } from '../../../test/support/candidates.ts'
import { hasNatsServer } from '../../../test/support/nats.ts'
import { natsFixture } from '../../../test/support/nats-fixture.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { blockMilliseconds } from '../../chain/system-transactions/base-time.ts'
import { DENIM_BLOCKS } from '../../node/production/building/schedule.ts'
import type { FailoverHandle } from '../../node/roles/node-handle.ts'

describe.skipIf(!hasNatsServer)('failover of a Denim chain over NATS', () => {
  const nats = natsFixture()

  test('the next leader continues the schedule without skipping a block, and loses no transaction', async () => {
    const timestamp = BigInt(Math.floor(Date.now() / 1000))
    const { genesis } = createNetwork({ upgrade: 'denim', timestamp })
    const lease = new HandedLease()
    lease.give('one')
    const leading = { schedule: DENIM_BLOCKS, gasLimit: genesis.header.gasLimit }
    const start = (name: string) => nats.start(name, lease, { settings: { genesis }, leading })
    const one = await start('one')
    const two = await start('two')
    const sent: string[] = []
    const send = async (node: FailoverHandle, nonce: bigint) => {
      const { raw, hash } = signTransfer({ nonce })
      expect(await node.submit(raw)).toMatchObject({ kind: 'accepted' })
      sent.push(hash)
    }

    for (let nonce = 0n; nonce < 20n; nonce++) await send(one, nonce)
    await comesToShow(two, (node) => latestOf(node) >= 5)
    lease.give('two')
    await hasRole(two, 'leader')
    await hasRole(one, 'standby')
    for (let nonce = 20n; nonce < 40n; nonce++) await send(two, nonce)
    const height = latestOf(two)
    await comesToShow(one, (node) => latestOf(node) >= height + 5)
    lease.give('one')
    await hasRole(one, 'leader')
    await comesToShow(two, (node) => latestOf(node) >= height + 10)

    await expectOneChain(one, two)
    expect(one.hasFailed || two.hasFailed).toBe(false)
    const view = one.view()
    for (let number = 1; number <= view.head.sealed.latest; number++) {
      const { block } = view.block({ kind: 'number', number })!
      expect(blockMilliseconds(block)).toBe(timestamp * 1_000n + 200n * BigInt(number))
    }
    for (const hash of sent) expect(view.transaction(hash as never)?.kind).toBe('included')
  })
})
