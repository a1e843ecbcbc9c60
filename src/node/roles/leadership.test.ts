import { pino } from 'pino'
import { expect, test } from 'vitest'
import { ForgetfulDisk } from '../../../test/support/forgetful-disk.ts'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { PowerSupply } from '../../../test/support/power-supply.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { DEFAULT_POOL_OPTIONS } from '../../pool/options.ts'
import { openSegmentLog } from '../../storage/segment-log.ts'
import { RecordLog } from '../log/record-log.ts'
import { chainState } from '../machine/chain-state.ts'
import { createSchedule } from '../production/building/schedule.ts'
import { CurrentView, type CurrentViewDeps } from '../view/current-view.ts'
import { Leadership, type LeadershipDeps } from './leadership.ts'

async function transfer(nonce: bigint) {
  const { node } = await startManualNode()
  const result = await node.submit(signTransfer({ nonce }).raw)
  await node.stop()
  if (result.kind !== 'accepted') throw new Error('it was refused')
  return result.transaction
}

async function startLeadership({ node }: Awaited<ReturnType<typeof startManualNode>>, isShown: boolean) {
  const { head } = node.view()
  const { config, header } = createNetwork().genesis
  const log = await openSegmentLog(
    { directory: '/records' },
    { fileSystem: new ForgetfulDisk({}, { power: new PowerSupply() }) },
  )
  const records = new RecordLog({ replayBlocks: 1 }, { log })
  const current = new CurrentView({ config }, {} as unknown as CurrentViewDeps)
  const shown = { head, isShown: true, events: node.events, hasFailed: false }
  const leadership = new Leadership(
    chainState({ ...head, recent: [], partials: [], pending: undefined }),
    {
      schedule: createSchedule(2000, 200),
      gasLimit: header.gasLimit,
      timeBudget: 0.6,
      finalityDepth: 64,
      pool: DEFAULT_POOL_OPTIONS,
      freshnessMs: 0,
    },
    {
      core: {
        config,
        coinbase: header.miner,
        records,
        current: isShown ? shown : current,
        clock: new ManualClock({ wall: 0 }),
        log: pino({ level: 'silent' }),
        yieldTurn: async () => {},
      },
      onFailure: () => {},
    } as unknown as LeadershipDeps,
  )
  return { leadership, records }
}

test('the first leader of a chain begins before any head is shown', async () => {
  const manual = await startManualNode()

  const { leadership } = await startLeadership(manual, false)

  expect(leadership.sequencing.counts.flashblocks).toBe(0)
  await manual.node.stop()
})

test('transactions dropped by unpublished records return to the pool when the node stands down', async () => {
  const manual = await startManualNode()
  const { leadership, records } = await startLeadership(manual, true)
  const [announced, unannounced, later] = [await transfer(0n), await transfer(1n), await transfer(2n)]
  const dropped = (transaction: typeof announced) => [
    { hash: transaction.hash, reason: { code: 'EVICTED' } as const, transaction },
  ]
  leadership.journalDropped(dropped(announced))
  await records.sync()
  // A publisher that stored only the first record.
  records.publishTo({
    publishedSequence: 1,
    condition: { target: 'here', stalledForMs: 0 },
    add: () => {},
    flush: async () => {},
    abandon: () => {},
  })
  leadership.journalDropped(dropped(unannounced))
  const ended = leadership.end()
  leadership.journalDropped(dropped(later))
  expect((await ended).map(({ nonce }) => nonce)).toEqual([1n, 2n])
  expect(records.lastSequence).toBe(1)
  await manual.node.stop()
})
