import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import {
  DevelopmentModel,
  type DevelopmentStep,
  developmentSteps,
  expectSame,
  type ObservedChain,
  observe,
} from '../../../test/support/development-model.ts'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { startReader } from '../../../test/support/readers.ts'
import { caughtUp, serveStream, startReplica } from '../../../test/support/replicas.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { verifyChain } from '../tools/verify-chain.ts'
import { AUTO, FLASHBLOCKS, MANUAL, type MiningMode } from './mining-mode.ts'

const { genesis } = createNetwork()
const RUNS = propertyRuns(60)
const REPLICA_RUNS = propertyRuns(40)
/** A sequence takes about two seconds. */
const timeoutOf = (runs: number) => Math.max(600_000, runs * 10_000)

const modes = fc.constantFrom(AUTO, MANUAL, FLASHBLOCKS)

/** Plays the steps, also for a reader that follows. Returns what the stopped node showed. */
async function play(steps: readonly DevelopmentStep[], directory: string, mining: MiningMode): Promise<ObservedChain> {
  const manual = await startManualNode({ directory, development: { mining } })
  const model = new DevelopmentModel(manual)
  const follower = await startReader(manual.node)
  try {
    for (const step of steps) {
      await model.play(step)
      follower.catchUp()
      expectSame(observe(follower.reader), observe(manual.node), `the reader after ${JSON.stringify(step)}`)
    }
    return observe(manual.node)
  } finally {
    await follower.stop()
    await manual.node.stop()
  }
}

async function observeAgain(directory: string, mining: MiningMode): Promise<ObservedChain> {
  const { node } = await startManualNode({ directory, development: { mining } })
  try {
    return observe(node)
  } finally {
    await node.stop()
  }
}

describe('a development node', () => {
  test(
    'reads as its model after any steps, also in another process and after a restart',
    async () => {
      await fc.assert(
        fc.asyncProperty(modes, developmentSteps(200), fc.boolean(), async (mining, steps, verifies) => {
          const directory = await mkdtemp(join(tmpdir(), 'development-'))
          try {
            const before = await play(steps, directory, mining)

            const { blocks } = await observeAgain(directory, mining)
            // In automatic mode, a start mines waiting transactions.
            expectSame(blocks.slice(0, before.blocks.length), before.blocks, 'blocks after a restart')
            if (!verifies) return
            const verification = await verifyChain({ directory, genesis }, async () => {})
            expectSame(verification.kind === 'different' ? verification.difference : undefined, undefined, 'verify')
          } finally {
            await rm(directory, { recursive: true })
          }
        }),
        { numRuns: RUNS },
      )
    },
    timeoutOf(RUNS),
  )

  test(
    'reads the same on a replica, which executes nothing',
    async () => {
      await fc.assert(
        fc.asyncProperty(modes, developmentSteps(60), async (mining, steps) => {
          const manual = await startManualNode({ development: { mining } })
          const stream = await serveStream(manual.node)
          const replica = await startReplica(stream.url)
          try {
            const model = new DevelopmentModel(manual)
            for (const step of steps) await model.play(step)
            await caughtUp(replica, manual.node)

            expectSame(observe(replica).blocks, observe(manual.node).blocks, 'the replica')
          } finally {
            await replica.stop()
            await stream.close()
            await manual.node.stop()
          }
        }),
        { numRuns: REPLICA_RUNS },
      )
    },
    timeoutOf(REPLICA_RUNS),
  )
})
