import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { comesToShow, expectOneChain, HandedLease, hashAt, latestOf, listen } from '../../../test/support/candidates.ts'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { hasNatsServer, natsLog } from '../../../test/support/nats.ts'
import { CANDIDATE_CHAIN, natsFixture } from '../../../test/support/nats-fixture.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { openDataDirectory } from '../../node/core/data-directory.ts'
import { createSchedule } from '../../node/production/building/schedule.ts'
import { type ChainRecord, decodeRecord, encodeRecord } from '../../state/records/record.ts'
import { disk } from '../../storage/disk.ts'
import type { LogRecord } from '../../storage/segment-frame.ts'
import { openSegmentReader } from '../../storage/segment-reader.ts'

describe.skipIf(!hasNatsServer)('a node that starts on published records', () => {
  const nats = natsFixture()
  const { closing, newDirectory } = nats

  /** Publishes the records of a chain built by another node, up to the first record of a kind. */
  async function recordsUntil(isLast: (record: ChainRecord) => boolean): Promise<readonly LogRecord[]> {
    const directory = await newDirectory()
    const { node, nextBlock, nextFlashblock } = await startManualNode({
      directory,
      schedule: createSchedule(1000, 100),
    })
    expect(await node.submit(signTransfer({ nonce: 0n }).raw)).toMatchObject({ kind: 'accepted' })
    await nextBlock()
    await nextFlashblock()
    await node.stop()
    const records = [...openSegmentReader({ directory: join(directory, 'records') }, { fileSystem: disk }).read(1)]
    const end = records.findIndex(({ payload }) => isLast(decodeRecord(payload)))
    return records.slice(0, end + 1)
  }

  const ENDS: readonly [what: string, isLast: (record: ChainRecord) => boolean][] = [
    ["a block's last flashblock", (record) => record.kind === 'flashblock' && record.index === 10],
    ['a seal', (record) => record.kind === 'seal'],
    ['the opening of a block', (record) => record.kind === 'flashblock' && record.header.number === 2],
    ['what waits before the first flashblock', (record) => record.kind === 'pool'],
  ]

  test.each(ENDS)('the next leader continues after %s', async (_, isLast) => {
    const records = await recordsUntil(isLast)
    const log = await natsLog(nats.server.url).open(CANDIDATE_CHAIN)
    closing.push(() => log.close())
    const publisher = log.publisher(0)
    // The last two records are published together, as a leader would.
    for (const record of records.slice(0, -2)) publisher.add(record)
    await publisher.flush()
    const lease = new HandedLease()
    const opening = nats.start('one', lease)
    const [one] = await Promise.all([opening, publishRest()])
    const { received, sealed } = listen(one)
    const { sequence } = records.at(-1)!
    while (one.following!.sequence < sequence) await new Promise((resolve) => setImmediate(resolve))
    const shown = one.view().head
    lease.give('one')
    await comesToShow(one, (node) => latestOf(node) >= 2)
    const { number } = shown.pending.block.header
    const next =
      shown.pending.index < 10 ? { number, index: shown.pending.index + 1 } : { number: number + 1, index: 0 }
    expect(received).toContainEqual({ ...next, hash: expect.anything() })
    expect(sealed).toEqual(sealed.map((_, index) => hashAt(one, latestOf(one) - sealed.length + 1 + index)))
    const two = await nats.start('two', lease)
    await expectOneChain(one, two)

    async function publishRest(): Promise<void> {
      for (const record of records.slice(-2)) publisher.add(record)
      await publisher.flush()
    }
  })

  test("discards an unpublished tail whose last record equals the stream's by chance", async () => {
    const all = await recordsUntil((record) => record.kind === 'flashblock' && record.index === 4)
    const [empty] = all.slice(-1)
    const before = all.slice(0, -1)
    const first = before.at(-1)!.sequence + 1
    const end = { sequence: first + 1, payload: empty!.payload }
    const publish = async () => {
      const log = await natsLog(nats.server.url).open(CANDIDATE_CHAIN)
      const publisher = log.publisher(0)
      const epoch = {
        sequence: first,
        payload: encodeRecord({ kind: 'epoch', leader: 'two', token: new Uint8Array(8) }),
      }
      for (const record of [...before, epoch, end]) publisher.add(record)
      await publisher.flush()
      await log.close()
    }
    await publish()
    const { transaction } = await acceptedTransfer()
    const path = await newDirectory()
    const { chainId, genesisHash } = CANDIDATE_CHAIN
    const directory = await openDataDirectory({ path, identity: { chainId, genesisHash } })
    const own = encodeRecord({ kind: 'pool', transactions: [transaction] })
    for (const payload of [...before.map((record) => record.payload), own, end.payload]) directory.log.append(payload)
    await directory.close()
    const lease = new HandedLease()
    const one = await nats.start('one', lease, { directory: path })
    while (one.view().head.sequence < end.sequence) await new Promise((resolve) => setImmediate(resolve))
    expect(one.failover.epoch).toEqual({ sequence: first, leader: 'two' })
    expect(one.view().transaction(transaction.hash)).toBeUndefined()
  })

  async function acceptedTransfer() {
    const { node } = await startManualNode()
    const result = await node.submit(signTransfer({ nonce: 1n }).raw)
    await node.stop()
    if (result.kind !== 'accepted') throw new Error('it was refused')
    return result
  }
})
