import { beforeEach, expect, test } from 'vitest'
import { ManualClock } from '../../../../test/support/manual-clock.ts'
import { startManualNode } from '../../../../test/support/manual-node.ts'
import { signTransfer } from '../../../../test/support/transfers.ts'
import { DEFAULT_POOL_OPTIONS } from '../../../pool/options.ts'
import { Pool } from '../../../pool/pool.ts'
import { type Bytes, ZERO_ADDRESS } from '../../../primitives/hex.ts'
import type { SubmitResult } from '../../core/results.ts'
import { ReplicaError } from '../../following/replica-error.ts'
import { recoverHere } from '../../intake/sender-recovery.ts'
import { ReplicatedLogError } from '../../log/replicated-log.ts'
import { View } from '../../view/view.ts'
import type { ServedNode } from '../node-handle.ts'
import { ReroutedSubmissions } from './rerouted-submissions.ts'

const LIMIT = 1_000
const { raw, hash } = signTransfer({ nonce: 0n })

let clock: ManualClock
let requested: Pick<ServedNode, 'submit'> | undefined
let offered: number

/** Response of the leader. */
function answering(...responses: readonly (() => Promise<SubmitResult>)[]): typeof requested {
  const left = [...responses]
  return {
    submit: (_: Bytes) => {
      offered += 1
      return left.shift()!()
    },
  }
}

/** @param lastSequence the newest record of the node */
function submissionsOf(view?: () => View, lastSequence = 0): ReroutedSubmissions {
  const unused = () => {
    throw new Error('not asked')
  }
  return new ReroutedSubmissions(
    { hasBlobs: false, timeoutMs: LIMIT },
    { clock, senders: recoverHere, records: { lastSequence }, view: view ?? unused, target: () => requested },
  )
}

const never = () => new Promise<SubmitResult>(() => {})
const refused = async (): Promise<SubmitResult> => ({ kind: 'refused', hash, refusal: { code: 'ALREADY_KNOWN' } })
const away = () => Promise.reject(new ReplicaError('SEQUENCER_UNREACHABLE', 'no node sequences'))
const abandoned = () => Promise.reject(new ReplicatedLogError('ABANDONED', 'this node no longer builds blocks'))

/** Runs everything that is due by then. */
async function until(instant: number): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve))
    const { next } = clock
    if (next === undefined || next > instant) break
    clock.moveTo(next)
  }
  clock.moveTo(instant)
}

beforeEach(() => {
  clock = new ManualClock({ wall: 0 })
  offered = 0
  requested = undefined
})

test('returns the first rejection immediately', async () => {
  const submissions = submissionsOf()
  requested = answering(refused)
  expect(await submissions.submit(raw)).toMatchObject({ kind: 'refused', refusal: { code: 'ALREADY_KNOWN' } })
  expect(offered).toBe(1)
})

test('submits an unanswered transaction to the next leader, and accepts it when that leader already knows it', async () => {
  const { node } = await startManualNode()
  const recorded = await node.submit(raw)
  expect(recorded).toMatchObject({ kind: 'accepted', sequence: node.view().head.sequence + 1 })
  const submissions = submissionsOf(() => node.view(), node.replication.records.lastSequence)
  requested = answering(never, refused)
  const sent = submissions.submit(raw)
  await until(100)
  expect(offered).toBe(1)
  submissions.roleChanged()
  await until(200)
  // Followers wait for this record before they answer their clients.
  expect(await sent).toEqual(recorded)
  expect(offered).toBe(2)
  await node.stop()
})

const nonceTooLow = async (): Promise<SubmitResult> => ({
  kind: 'refused',
  hash,
  refusal: { code: 'NONCE_TOO_LOW', address: ZERO_ADDRESS, expected: 1n, actual: 0n },
})

test.each([
  ['accepted', 'it is included', 1n, { kind: 'accepted', transaction: { hash } }],
  ['refused', 'another one is included', 2n, { kind: 'refused', refusal: { code: 'NONCE_TOO_LOW' } }],
] as const)(
  'a second submission rejected for its nonce is %s once the records show that %s',
  async (_, _what, value, expected) => {
    const { node, nextFlashblock } = await startManualNode()
    await node.submit(signTransfer({ nonce: 0n, value }).raw)
    let shown = node.view().head
    // A view without pool transactions, as of the newest received record.
    const submissions = submissionsOf(() => new View(shown, new Pool(DEFAULT_POOL_OPTIONS, { now: () => 0 }).view()))
    requested = answering(never, nonceTooLow)
    const sent = submissions.submit(raw)
    await until(100)
    submissions.roleChanged()
    await until(300)
    await nextFlashblock()
    shown = node.view().head
    await until(400)
    expect(await sent).toMatchObject(expected)
    await node.stop()
  },
)

test('reports an unknown outcome when the deciding records do not arrive', async () => {
  const { node } = await startManualNode()
  const submissions = submissionsOf(() => node.view())
  requested = answering(never, nonceTooLow)
  const rejection = expect(submissions.submit(raw)).rejects.toMatchObject({ code: 'REPLICA_BEHIND' })
  await until(100)
  submissions.roleChanged()
  await until(LIMIT + 100)
  await rejection
  await node.stop()
})

test('waits without a leader and reports the last failure after the timeout', async () => {
  const submissions = submissionsOf()
  const sent = submissions.submit(raw)
  const rejection = expect(sent).rejects.toMatchObject({
    code: 'SEQUENCER_UNREACHABLE',
    message: expect.stringMatching(/may not have been taken: this node no longer builds blocks/),
  })
  await until(300)
  expect(offered).toBe(0)
  requested = answering(away, away, ...Array.from({ length: 100 }, () => abandoned))
  submissions.roleChanged()
  await until(LIMIT + 100)
  await rejection
  expect(offered).toBeGreaterThan(5)
})

test('throws internal errors immediately', async () => {
  const submissions = submissionsOf()
  requested = answering(() => Promise.reject(new Error('disk')))
  await expect(submissions.submit(raw)).rejects.toThrow('disk')
})
