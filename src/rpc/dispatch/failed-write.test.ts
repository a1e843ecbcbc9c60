import { expect, onTestFinished, test, vi } from 'vitest'
import { startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { openDataDirectory } from '../../node/core/data-directory.ts'
import { ReplicatedLogError } from '../../node/log/replicated-log.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import type { SegmentLog } from '../../storage/segment-log.ts'
import { StorageError } from '../../storage/storage-error.ts'

const CAUSES = [
  new StorageError('LOG_FAILED', 'the disk is full'),
  new StorageError('COMMIT_FAILED', 'the disk is broken'),
  new ReplicatedLogError('FENCED', 'another node leads'),
]

test.each(CAUSES)(
  'a send whose record may have been written is told that its outcome is unknown: %s',
  async (cause) => {
    let log: SegmentLog | undefined
    const node = await startRpcNode(
      {},
      {
        sequencing: false,
        openDirectory: async (options) => {
          const opened = await openDataDirectory(options)
          log = opened.log
          return opened
        },
      },
    )
    const syncing = vi.spyOn(log!, 'sync').mockRejectedValue(cause)
    onTestFinished(async () => {
      syncing.mockRestore()
      await node.stop().catch(() => undefined)
    })

    const { error } = await node.request('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 0n }).raw))

    expect(error).toMatchObject({ code: -32008, message: expect.stringContaining('the outcome is unknown') })
  },
)
