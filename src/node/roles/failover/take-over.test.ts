import { beforeEach, expect, test } from 'vitest'
import { ForgetfulDisk } from '../../../../test/support/forgetful-disk.ts'
import { PowerSupply } from '../../../../test/support/power-supply.ts'
import { ZERO_HASH } from '../../../primitives/hex.ts'
import { openSegmentLog } from '../../../storage/segment-log.ts'
import type { ReplicaChain } from '../../following/replica-chain.ts'
import { RecordLog } from '../../log/record-log.ts'
import {
  type RecordPublisher,
  type RecordRange,
  type ReplicatedLog,
  ReplicatedLogError,
} from '../../log/replicated-log.ts'
import { beginEpoch, type TakeOverDeps } from './take-over.ts'

let fileSystem: ForgetfulDisk
let records: RecordLog

beforeEach(async () => {
  fileSystem = new ForgetfulDisk({}, { power: new PowerSupply() })
  const log = await openSegmentLog({ directory: '/records', firstSequence: 100 }, { fileSystem })
  records = new RecordLog({ replayBlocks: 1 }, { log })
  records.append({ kind: 'seal', number: 1, hash: ZERO_HASH })
  await records.sync()
})

/** A replicated log to which other nodes can append. */
function sharedWith(range: RecordRange | undefined, flush: () => Promise<void>): ReplicatedLog {
  const publisher: RecordPublisher = {
    publishedSequence: range?.last ?? 99,
    condition: { target: 'here', stalledForMs: 0 },
    add: () => {},
    flush,
    abandon: () => {},
  }
  return {
    name: 'here',
    settingsBefore: undefined,
    range,
    describe: async () => {},
    refresh: async () => {},
    record: async () => undefined,
    read: async function* () {},
    publisher: () => publisher,
    takeSubmissions: () => () => {},
    takeRequests: () => () => {},
    close: async () => {},
  }
}

function partsWith(parts: Partial<TakeOverDeps> & Pick<TakeOverDeps, 'replicated'>): TakeOverDeps {
  const chain = { sequence: records.lastSequence } as ReplicaChain
  return {
    records,
    chain,
    leader: 'one',
    randomBytes: (size) => new Uint8Array(size),
    isWanted: () => true,
    log: { warn: () => {} },
    now: () => 0,
    pause: async () => {},
    ...parts,
  }
}

test("never announces an epoch record that another node's record fenced, although it was on disk", async () => {
  let attempts = 0
  const durable: number[] = []
  const open = fileSystem.openForAppend.bind(fileSystem)
  fileSystem.openForAppend = (path, isSynced) => {
    durable.push(records.durableSequence)
    return open(path, isSynced)
  }
  const replicated = sharedWith({ first: 100, last: 100 }, async () => {
    attempts += 1
    throw new ReplicatedLogError('FENCED', 'another node was faster')
  })
  const taking = beginEpoch(partsWith({ replicated, isWanted: () => attempts === 0 }))
  await expect(taking).rejects.toMatchObject({ code: 'ABANDONED' })
  expect(records.lastSequence).toBe(100)
  expect(durable).not.toHaveLength(0)
  expect(new Set(durable)).toEqual(new Set([100]))
})

test('a node whose records do not reach back to the end of the replicated log abandons the take-over', async () => {
  const replicated = sharedWith({ first: 1, last: 5 }, async () => {})
  await expect(beginEpoch(partsWith({ replicated }))).rejects.toMatchObject({ code: 'GAP' })
})

test('a node that could not read all published records appends nothing, and tries again', async () => {
  let attempts = 0
  let added = 0
  const shared = sharedWith({ first: 99, last: 105 }, async () => {})
  const publisher = { ...shared.publisher(105), add: () => added++ }
  const refresh = async () => {
    attempts += 1
  }
  const replicated: ReplicatedLog = { ...shared, refresh, publisher: () => publisher }

  const taking = beginEpoch(partsWith({ replicated, isWanted: () => attempts < 3 }))

  await expect(taking).rejects.toMatchObject({ code: 'ABANDONED' })
  expect(attempts).toBe(3)
  expect(added).toBe(0)
  expect(records.lastSequence).toBe(100)
})

test('abandons the take-over when the disk is full', async () => {
  fileSystem.capacity = 0
  const replicated = sharedWith({ first: 100, last: 100 }, async () => {})
  await expect(beginEpoch(partsWith({ replicated }))).rejects.toMatchObject({ code: 'LOG_FAILED' })
})

test('logs an unreachable replicated log every ten seconds, and at once when the reason changes', async () => {
  let time = 0
  const messages: [time: number, message: string][] = []
  const replicated: ReplicatedLog = {
    ...sharedWith({ first: 100, last: 100 }, async () => {}),
    refresh: async () => {
      throw new Error(time < 15_000 ? 'TIMEOUT' : '503')
    },
  }
  const taking = beginEpoch(
    partsWith({
      replicated,
      now: () => time,
      isWanted: () => time < 20_000,
      pause: async () => {
        time += 50
      },
      log: { warn: (details) => messages.push([time, (details as { readonly err: Error }).err.message]) },
    }),
  )
  await expect(taking).rejects.toMatchObject({ code: 'ABANDONED' })
  expect(messages).toEqual([
    [0, 'TIMEOUT'],
    [10_000, 'TIMEOUT'],
    [15_000, '503'],
  ])
})
