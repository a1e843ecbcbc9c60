import { pino } from 'pino'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import { type Clock, systemClock } from '../../src/node/core/clock.ts'
import type { ReaderChain } from '../../src/node/following/reader-chain.ts'
import type { ReaderLink } from '../../src/node/following/reader-link.ts'
import { recoverHere } from '../../src/node/intake/sender-recovery.ts'
import type { NodeHandle, ReaderHandle, ReplicationAccess } from '../../src/node/roles/node-handle.ts'
import { openReader } from '../../src/node/roles/open-reader.ts'
import { RecordStream } from '../../src/replication/record-stream.ts'

export interface FollowingTestReader {
  readonly reader: ReaderHandle
  /** The chain that the reader follows. */
  readonly chain: ReaderChain
  /** Passes all durable records to the reader. */
  catchUp(): void
  stop(): Promise<void>
}

/** A reader in this process, which receives records when a test passes them. */
export async function startReader(
  node: NodeHandle & { readonly replication: ReplicationAccess },
  parts: { readonly clock?: Clock; readonly link?: Partial<ReaderLink> } = {},
): Promise<FollowingTestReader> {
  const { pool, read, close, ...begun } = new RecordStream(node.replication).beginReader()
  const pooled = [...{ [Symbol.iterator]: () => pool }]
  const catchUp = () => {
    for (;;) {
      const records = read(chain.sequence + 1, 2 ** 20)
      if (records.length === 0) break
      chain.apply(records)
    }
    chain.rebase()
  }
  const link: ReaderLink = {
    request: () => Promise.reject(new Error('no leader')),
    async submit(raw, from) {
      const result = await node.submit(raw, from)
      catchUp()
      return result
    },
    reached: () => Promise.resolve(),
    async setHead(number) {
      const result = await node.setHead(number)
      catchUp()
      return { result, sequence: node.view().head.sequence }
    },
    ...parts.link,
  }
  const { clock = systemClock } = parts
  const { node: reader, chain } = await openReader(
    { genesis: createNetwork().genesis, handover: { ...begun, directory: node.logPosition().directory } },
    { link, pooled, clock, log: pino({ level: 'warn' }, pino.destination(2)), senders: recoverHere },
  )
  return {
    reader,
    chain,
    catchUp,
    async stop() {
      close()
      await reader.stop()
    },
  }
}
