import { expect, test } from 'vitest'
import type { StreamHello } from '../node/log/record-source.ts'
import type { Hash } from '../primitives/hex.ts'
import { bigintToHash } from '../primitives/quantity.ts'
import { admitReplica, type StreamFacts } from './stream-admission.ts'

const hashOf = (number: number): Hash => bigintToHash(BigInt(number))
const GENESIS = hashOf(1_000)

/** Records 10 to 20, blocks up to 5; each hash equals the number. */
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
  ['sends a snapshot to a new replica', {}, {}, { kind: 'snapshot' }],
  [
    'sends all records to a new replica if they reach genesis',
    {},
    { reachesGenesis: true },
    { kind: 'records', from: 10 },
  ],
  ['resumes after the newest record of a replica', at(15), {}, { kind: 'records', from: 16 }],
  ['resumes at the end of the log', at(20), {}, { kind: 'records', from: 21 }],
  ['resumes after the oldest record', at(10), {}, { kind: 'records', from: 11 }],
  ['sends a snapshot when the newest record of the replica was removed', at(9), {}, { kind: 'snapshot' }],
  [
    'sends a snapshot to an old replica with the same finalized block',
    { ...at(3), ...finalized(2) },
    {},
    { kind: 'snapshot' },
  ],
  ['rejects another finalized block', { ...at(3), ...finalized(2, GENESIS) }, {}, { code: 'FORKED' }],
  ['rejects a finalized block above the head', { ...at(3), ...finalized(6) }, {}, { code: 'BEHIND' }],
  ['resumes with a finalized block above ours', { ...at(15), ...finalized(6) }, {}, { from: 16 }],
  ['rejects a replica ahead on another history', { ...at(21), ...finalized(2, GENESIS) }, {}, { code: 'FORKED' }],
  ['rejects a replica whose newest record differs', at(15, GENESIS), {}, { code: 'FORKED' }],
  ['rejects a replica ahead of this node', at(21), {}, { code: 'BEHIND' }],
  ['rejects another chain id', { chainId: 2n }, {}, { code: 'FOREIGN_CHAIN' }],
  ['rejects another genesis', { genesisHash: hashOf(7) }, {}, { code: 'FOREIGN_CHAIN' }],
])('%s', (_, hello, facts, expected) => {
  expect(admitReplica({ ...NEWCOMER, ...hello }, { ...FACTS, ...facts })).toMatchObject(expected)
})
