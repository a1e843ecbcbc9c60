import pino from 'pino'
import { afterEach, expect, test } from 'vitest'
import { endAll, endLater, newDirectory, start } from '../../../test/support/replica-scene.ts'
import { caughtUp, sourceOf } from '../../../test/support/replicas.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { systemClock } from '../core/clock.ts'
import { openDataDirectory } from '../core/data-directory.ts'
import { openNode } from './open-node.ts'

afterEach(endAll)

test('a restarted replica has a transaction that waits for longer than its replay window', async () => {
  const { node, nextBlock, stream } = await start()
  const directory = await newDirectory()
  const open = () =>
    openNode(
      { genesis: createNetwork().genesis, directory, history: 'all', replayBlocks: 1, maxBlocksBehind: 8 },
      { kind: 'replica', source: sourceOf(stream.url) },
      {
        clock: systemClock,
        log: pino({ level: 'silent' }),
        // Some files for each block, so that a start can skip files.
        openDirectory: (options) => openDataDirectory({ ...options, segmentBytes: 500 }),
      },
    )
  const first = await open()
  const waiting = signTransfer({ nonce: 9n })
  await node.submit(waiting.raw)
  for (let count = 0; count < 6; count++) {
    await nextBlock()
    await caughtUp(first, node)
  }
  await first.stop()
  await stream.close()

  const again = await open()
  endLater(() => again.stop())

  expect(again.view().transaction(waiting.hash)?.kind).toBe('pooled')
})
