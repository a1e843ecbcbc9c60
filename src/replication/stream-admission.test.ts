import { expect, test } from 'vitest'
import type { StreamHello } from '../node/log/record-source.ts'
import { retryDelay } from '../node/roles/follower/retry-delay.ts'
import type { Hash } from '../primitives/hex.ts'
import { bigintToHash } from '../primitives/quantity.ts'
import { admitReplica, type StreamFacts } from './stream-admission.ts'

const hashOf = (number: number): Hash => bigintToHash(BigInt(number))
const GENESIS = hashOf(1_000)

/** Records 10 to 20, blocks up to 5; the hash of each is its number. */
const FACTS: StreamFacts = {
  chainId: 1n,
  genesisHash: GENESIS,
  firstSequence: 10,
  newestSequence: 20,
  reachesGenesis: false,
  latest: 5,
  blockHash: hashOf,
  recordHash: hashOf,
}
const NEWCOMER: StreamHello = { chainId: 1n, genesisHash: GENESIS, cursor: undefined, finalized: undefined }
const at = (sequence: number, hash = hashOf(sequence)) => ({ cursor: { sequence, hash } })
const finalized = (number: number, hash = hashOf(number)) => ({ finalized: { number, hash } })

test.each<[string, Partial<StreamHello>, Partial<StreamFacts>, object]>([
  ['a newcomer takes over a snapshot', {}, {}, { kind: 'snapshot' }],
  ['or every record, where they are', {}, { reachesGenesis: true }, { kind: 'records', from: 10 }],
  ['a replica goes on behind its newest record', at(15), {}, { kind: 'records', from: 16 }],
  ['with nothing to come yet', at(20), {}, { kind: 'records', from: 21 }],
  ['behind the oldest one', at(10), {}, { kind: 'records', from: 11 }],
  ['whose newest record is gone: whether it is the same one nobody knows', at(9), {}, { kind: 'snapshot' }],
  [
    'that was away for long, and whose finalized block is ours',
    { ...at(3), ...finalized(2) },
    {},
    { kind: 'snapshot' },
  ],
  ['whose finalized block is another one', { ...at(3), ...finalized(2, GENESIS) }, {}, { code: 'FORKED' }],
  ['whose finalized block is not here yet', { ...at(3), ...finalized(6) }, {}, { code: 'BEHIND' }],
  ['that knows a block as finalized which is not so here yet', { ...at(15), ...finalized(6) }, {}, { from: 16 }],
  ['that is ahead, on another history', { ...at(21), ...finalized(2, GENESIS) }, {}, { code: 'FORKED' }],
  ['whose newest record is another one', at(15, GENESIS), {}, { code: 'FORKED' }],
  ['that has more than this node', at(21), {}, { code: 'BEHIND' }],
  ['of another chain id', { chainId: 2n }, {}, { code: 'FOREIGN_CHAIN' }],
  ['of another genesis', { genesisHash: hashOf(7) }, {}, { code: 'FOREIGN_CHAIN' }],
])('%s', (_, hello, facts, expected) => {
  expect(admitReplica({ ...NEWCOMER, ...hello }, { ...FACTS, ...facts })).toMatchObject(expected)
})

test('a source is tried again soon, then not so often, never all replicas at once', () => {
  expect(retryDelay(1, 0)).toBe(25)
  expect(retryDelay(1, 1)).toBe(50)
  expect(retryDelay(2, 1)).toBe(100)
  expect(retryDelay(100, 0)).toBe(250)
  expect(retryDelay(100, 1)).toBe(500)
})
