import { SourceError } from '../../../src/node/log/record-source.ts'
import {
  decodeBinary,
  decodeToReplica,
  decodeToServer,
  encodeRecords,
  encodeText,
} from '../../../src/replication/messages.ts'
import { decodeRecord, encodeRecord, RecordError } from '../../../src/state/records/record.ts'
import { decodeSnapshotPart, encodeSnapshotPart } from '../../../src/state/records/snapshot-part.ts'
import { encodeFrame } from '../../../src/storage/segment-frame.ts'
import { findSegmentEnd, openSegmentReader } from '../../../src/storage/segment-reader.ts'
import { StorageError } from '../../../src/storage/storage-error.ts'
import { GENESIS, RecordWriter } from '../../support/record-writer.ts'
import { signTransfer } from '../../support/transfers.ts'
import { decodedOr, requireCanonical, requireEqual } from './expectations.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { fileOf } from './fuzzed-file.ts'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

function records(): readonly { readonly sequence: number; readonly payload: Uint8Array }[] {
  const writer = new RecordWriter()
  writer.block(2)
  return writer.records.map(({ sequence, record }) => ({ sequence, payload: encodeRecord(record) }))
}

/** Messages between the processes of a chain, and their files. */
export const FUZZED_STREAMS: Readonly<Record<string, FuzzTarget>> = {
  record: {
    description: 'a record of the chain: RecordError, or encoded again to the same bytes',
    run: (bytes) => {
      const record = decodedOr([RecordError], () => decodeRecord(bytes))
      if (record !== undefined) requireCanonical(bytes, encodeRecord(record))
    },
    seeds: () => records().map(({ payload }) => payload),
  },
  'snapshot-part': {
    description: 'a part of a snapshot: RecordError, or encoded again to the same bytes',
    run: (bytes) => {
      const part = decodedOr([RecordError], () => decodeSnapshotPart(bytes))
      if (part !== undefined) requireCanonical(bytes, encodeSnapshotPart(part))
    },
    seeds: () => [
      encodeSnapshotPart({ kind: 'block', block: GENESIS, receipts: [] }),
      encodeSnapshotPart({ kind: 'pool', record: { kind: 'pool', transactions: [signTransfer({ nonce: 0n })] } }),
    ],
  },
  'replica-message': {
    description: 'a message between a replica and its source: SourceError, or the same message when sent again',
    run: (bytes) => {
      decodedOr([SourceError], () => decodeBinary(bytes))
      for (const decode of [decodeToServer, decodeToReplica]) {
        const message = decodedOr([SourceError], () => decode(text(bytes)))
        if (message !== undefined) requireEqual('sent again', decode(encodeText(message)), message)
      }
    },
    seeds: () => [
      encodeRecords(records()),
      ...[
        '{"type":"hello","version":1,"chainId":"0x1","genesisHash":"0x","cursor":{"sequence":1}}',
        '{"type":"submit","id":1,"raw":"0x02"}',
        '{"type":"request","id":1,"method":"eth_chainId","params":"[]"}',
        '{"type":"newest","sequence":2,"sent":1,"isOnDemand":true}',
        '{"type":"unsubmitted","id":1,"message":"later"}',
      ].map((message) => Buffer.from(message)),
    ],
  },
  segment: {
    description: 'a file of the record log: StorageError, or the records before its torn end',
    run: (bytes) => {
      const fileSystem = fileOf('/log', bytes)
      const end = decodedOr([StorageError], () => findSegmentEnd(fileSystem, fileSystem.segment))
      const read = decodedOr([StorageError], () => [
        ...openSegmentReader({ directory: '/log' }, { fileSystem }).read(1),
      ])
      requireEqual('records until the end', end && end.nextSequence - 1, read?.length)
    },
    seeds: () => [Buffer.concat(records().map(encodeFrame))],
  },
}
