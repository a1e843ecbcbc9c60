import { pino } from 'pino'
import { expect, test } from 'vitest'
import { ForgetfulDisk } from '../../../../test/support/forgetful-disk.ts'
import { startManualNode } from '../../../../test/support/manual-node.ts'
import { PowerSupply } from '../../../../test/support/power-supply.ts'
import { signTransfer } from '../../../../test/support/transfers.ts'
import { createNetwork } from '../../../chain/genesis/networks.ts'
import { openSegmentLog } from '../../../storage/segment-log.ts'
import { ManualClock } from '../../core/manual-clock.ts'
import { RecordLog } from '../../log/record-log.ts'
import { foldStart } from '../../replay/record-folding.ts'
import { createSchedule } from '../leader/schedule.ts'
import type { SequencingParts } from '../leader/sequencing.ts'
import { Leadership, type LeadershipParts } from './leadership.ts'

async function transfer(nonce: bigint) {
  const { node } = await startManualNode()
  const result = await node.submit(signTransfer({ nonce }).raw)
  await node.stop()
  if (result.kind !== 'accepted') throw new Error('it was refused')
  return result.transaction
}

test('what left the pool while a node stood down waits on: the others have it, and this one may lead again', async () => {
  const { node } = await startManualNode()
  const { head } = node.view()
  const { config, header } = createNetwork().genesis
  const log = await openSegmentLog(
    { directory: '/records' },
    { fileSystem: new ForgetfulDisk({}, { power: new PowerSupply() }) },
  )
  const records = new RecordLog({ replayBlocks: 1 }, { log })
  const schedule = createSchedule(2000, 200)
  const options = { config, blockTimeMs: 2000, slots: 10, gasLimit: header.gasLimit, finalityDepth: 64 }
  const clock = new ManualClock({ wall: 0 })
  const parts: Partial<SequencingParts> = { clock, log: pino({ level: 'silent' }), yieldTurn: async () => {} }
  const leadership = new Leadership(
    foldStart({ ...head, recent: [], partials: [], pending: undefined }),
    { ...options, freshness: 0, sequencing: { ...options, schedule, timeBudget: 0.6, coinbase: header.miner } },
    {
      records,
      node: { current: { events: node.events, hasFailed: false } },
      operation: {},
      sequencing: { ...parts, current: { head } },
      onFailure: () => {},
    } as unknown as LeadershipParts,
  )
  const [told, untold, late] = [await transfer(0n), await transfer(1n), await transfer(2n)]
  const dropped = (transaction: typeof told) => [
    { hash: transaction.hash, reason: { code: 'EVICTED' } as const, transaction },
  ]
  leadership.journalDropped(dropped(told))
  await records.sync()
  // As a publisher does that stored the first one only.
  records.publishTo({
    publishedSequence: 1,
    condition: { target: 'here', stalledFor: 0 },
    add: () => {},
    flush: async () => {},
    abandon: () => {},
  })
  leadership.journalDropped(dropped(untold))
  const ended = leadership.end()
  leadership.journalDropped(dropped(late))
  expect((await ended).map(({ nonce }) => nonce)).toEqual([1n, 2n])
  expect(records.lastSequence).toBe(1)
  await node.stop()
})
