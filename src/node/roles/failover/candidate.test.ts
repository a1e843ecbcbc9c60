import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { startManualNode } from '../../../../test/support/manual-node.ts'
import { signTransfer } from '../../../../test/support/transfers.ts'
import { DEFAULT_POOL_OPTIONS } from '../../../pool/options.ts'
import { Pool } from '../../../pool/pool.ts'
import type { Bytes } from '../../../primitives/hex.ts'
import { CurrentView } from '../../core/current-view.ts'
import { ManualClock } from '../../core/manual-clock.ts'
import type { ServedNode, SubmitResult } from '../../core/node-handle.ts'
import { View } from '../../core/view.ts'
import { recoverHere } from '../../intake/sender-recovery.ts'
import { ReplicatedLogError } from '../../log/replicated-log.ts'
import { ReplicaError } from '../follower/replica-error.ts'
import { Candidate } from './candidate.ts'

const LIMIT = 1_000
const { raw, hash } = signTransfer({ nonce: 0n })

let clock: ManualClock
let asked: Pick<ServedNode, 'submit' | 'setHead'> | undefined
let offered: number

/** Whoever makes the blocks answers so. */
function answering(...answers: readonly (() => Promise<SubmitResult>)[]): typeof asked {
  const left = [...answers]
  return {
    submit: (_: Bytes) => {
      offered += 1
      return left.shift()!()
    },
    setHead: () => Promise.reject(new Error('not asked')),
  }
}

async function candidateOf(view?: Candidate['view']): Promise<Candidate> {
  const { node } = await startManualNode()
  const { config } = node
  const current = new CurrentView(
    { config },
    { pool: new Pool(DEFAULT_POOL_OPTIONS, { now: () => 0 }), log: pino({ level: 'silent' }) },
  )
  const unused = () => {
    throw new Error('not asked')
  }
  const candidate = new Candidate(
    { config, blockTimeMs: 2000, slots: 10, gasLimit: 1n, finalityDepth: 64, name: 'one', submitLimit: LIMIT },
    {
      engine: node.engine,
      current,
      records: node.records,
      clock,
      senders: recoverHere,
      status: unused,
      asked: () => asked,
      missedSlots: () => 0,
      following: unused,
      publishing: unused,
      source: unused,
      diskBytes: unused,
      idle: unused,
      stop: () => node.stop(),
    },
  )
  if (view !== undefined) candidate.view = view
  return candidate
}

const never = () => new Promise<SubmitResult>(() => {})
const refused = async (): Promise<SubmitResult> => ({ kind: 'refused', hash, refusal: { code: 'ALREADY_KNOWN' } })
const away = () => Promise.reject(new ReplicaError('SEQUENCER_UNREACHABLE', 'no node sequences'))
const abandoned = () => Promise.reject(new ReplicatedLogError('ABANDONED', 'this node does not make blocks any more'))

/** Lets happen what is due by then. */
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
  asked = undefined
})

test('what the first one refuses is refused, at once', async () => {
  const candidate = await candidateOf()
  asked = answering(refused)
  expect(await candidate.submit(raw)).toMatchObject({ kind: 'refused', refusal: { code: 'ALREADY_KNOWN' } })
  expect(offered).toBe(1)
  await candidate.stop()
})

test('one whose answer does not come is offered to whoever makes the blocks then; what that one knows was taken', async () => {
  const { node } = await startManualNode()
  expect(await node.submit(raw)).toMatchObject({ kind: 'accepted' })
  const candidate = await candidateOf(() => node.view())
  asked = answering(never, refused)
  const sent = candidate.submit(raw)
  await until(100)
  expect(offered).toBe(1)
  candidate.roleChanged()
  await until(200)
  expect(await sent).toMatchObject({ kind: 'accepted', transaction: { hash } })
  expect(offered).toBe(2)
  await candidate.stop()
  await node.stop()
})

const nonceTooLow = async (): Promise<SubmitResult> => ({
  kind: 'refused',
  hash,
  refusal: { code: 'NONCE_TOO_LOW', expected: 1n, actual: 0n },
})

test.each([
  ['accepted', 'it is included', 1n, { kind: 'accepted', transaction: { hash } }],
  ['refused', 'another one is included', 2n, { kind: 'refused', refusal: { code: 'NONCE_TOO_LOW' } }],
] as const)(
  'one that was offered twice and refused for its nonce is %s when the records have come: %s',
  async (_, _what, value, expected) => {
    const { node, nextFlashblock } = await startManualNode()
    await node.submit(signTransfer({ nonce: 0n, value }).raw)
    let shown = node.view().head
    // As of the last record that has come here: nothing is known of the pool.
    const candidate = await candidateOf(() => new View(shown, new Pool(DEFAULT_POOL_OPTIONS, { now: () => 0 }).view()))
    asked = answering(never, nonceTooLow)
    const sent = candidate.submit(raw)
    await until(100)
    candidate.roleChanged()
    await until(300)
    await nextFlashblock()
    shown = node.view().head
    await until(400)
    expect(await sent).toMatchObject(expected)
    await candidate.stop()
    await node.stop()
  },
)

test('one that was offered twice and refused for its nonce is not called so where the records do not come', async () => {
  const { node } = await startManualNode()
  const candidate = await candidateOf(() => node.view())
  asked = answering(never, nonceTooLow)
  const told = expect(candidate.submit(raw)).rejects.toMatchObject({ code: 'REPLICA_BEHIND' })
  await until(100)
  candidate.roleChanged()
  await until(LIMIT + 100)
  await told
  await candidate.stop()
  await node.stop()
})

test('while the role changes, and while nobody can be asked, it waits; after the limit the sender is told why', async () => {
  const candidate = await candidateOf()
  const sent = candidate.submit(raw)
  const told = expect(sent).rejects.toMatchObject({
    code: 'SEQUENCER_UNREACHABLE',
    message: expect.stringMatching(/may not have been taken: this node does not make blocks any more/),
  })
  await until(300)
  expect(offered).toBe(0)
  asked = answering(away, away, ...Array.from({ length: 100 }, () => abandoned))
  candidate.roleChanged()
  await until(LIMIT + 100)
  await told
  expect(offered).toBeGreaterThan(5)
  await candidate.stop()
})

test('what is wrong with the node itself is told at once', async () => {
  const candidate = await candidateOf()
  asked = answering(() => Promise.reject(new Error('disk')))
  await expect(candidate.submit(raw)).rejects.toThrow('disk')
  await candidate.stop()
})
