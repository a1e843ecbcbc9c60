// Builds a chain of given blocks with a manual clock: with the system clock a block takes two seconds.
import { join } from 'node:path'
import { pino } from 'pino'
import { createNetwork } from '../../dist/chain/genesis/networks.js'
import { createSchedule } from '../../dist/node/production/building/schedule.js'
import { openNode } from '../../dist/node/roles/open-node.js'
import { DEFAULT_POOL_OPTIONS } from '../../dist/pool/options.js'
import { prepareTestBuild } from '../../scripts/prepare.mjs'

prepareTestBuild()
const { ManualClock } = await import('../../dist-test/test/support/manual-clock.js')

const BLOCK_TIME = 2_000

/**
 * Prepares a data directory for `--datadir` whose newest block is the last of `blocks`.
 *
 * @param {string} datadir
 * @param {bigint} gasLimit
 * @param {{ bytes: Uint8Array }[][]} blocks
 */
export async function prepareChain(datadir, gasLimit, blocks) {
  const clock = new ManualClock({ wall: Date.now() - (blocks.length + 10) * BLOCK_TIME })
  const { genesis } = createNetwork({ gasLimit })
  const log = pino({ level: 'error' }, pino.destination(2))
  const node = await openNode(
    {
      genesis,
      directory: join(datadir, 'main'),
      history: 'all',
      replayBlocks: 64,
      maxBlocksBehind: 8,
    },
    {
      kind: 'solo',
      leading: {
        schedule: createSchedule(BLOCK_TIME, BLOCK_TIME),
        gasLimit,
        timeBudget: 0.9,
        finalityDepth: 64,
        pool: DEFAULT_POOL_OPTIONS,
      },
    },
    { clock, log, yieldTurn: () => new Promise((resolve) => setImmediate(resolve)) },
  )
  for (const [index, transactions] of blocks.entries()) {
    const results = await Promise.all(transactions.map(({ bytes }) => node.submit(bytes)))
    const refused = results.find(({ kind }) => kind === 'refused')
    if (refused) throw new Error(`a transaction was refused: ${refused.refusal.code}`)
    const sealed = new Promise((resolve) => node.events.once('sealed', resolve))
    clock.moveTo(clock.next)
    await sealed
    await node.idle()
    const { head } = node.view()
    if (head.sealed.latest !== index + 1) throw new Error(`block ${index + 1} is ${head.sealed.latest}`)
  }
  await node.stop()
}
