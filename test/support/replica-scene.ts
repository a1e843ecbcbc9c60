import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ReplicaHandle, ServedNode } from '../../src/node/roles/node-handle.ts'
import { type ManualNode, startManualNode } from './manual-node.ts'
import { asking, type ServedStream, serveStream, startReplica } from './replicas.ts'
import { signTransfer } from './transfers.ts'

const closing: (() => Promise<unknown>)[] = []

/** Clean-up actions, run after the test, newest first. */
export function endLater(end: () => Promise<unknown>): void {
  closing.push(end)
}

/** For `afterEach`. */
export async function endAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close()
}

/** A node to follow. */
export interface Scene extends ManualNode {
  readonly stream: ServedStream
  send(nonce: bigint): Promise<void>
}

/** A node on a manual clock, with its stream. */
export async function start(options: Parameters<typeof startManualNode>[0] = {}): Promise<Scene> {
  const manual = await startManualNode(options)
  endLater(() => manual.node.stop())
  const stream = await serveStream(manual.node)
  endLater(() => stream.close())
  return { ...manual, stream, send: (nonce) => send(manual.node, nonce) }
}

async function send(node: ServedNode, nonce: bigint): Promise<void> {
  expect(await node.submit(signTransfer({ nonce }).raw)).toMatchObject({ kind: 'accepted' })
}

/** A replica that is stopped after the test. */
export async function follow(...options: Parameters<typeof startReplica>): Promise<ReplicaHandle> {
  const replica = await startReplica(...options)
  endLater(() => replica.stop())
  return replica
}

/** A directory that is removed after the test. */
export async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tickertape-replica-'))
  endLater(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** A node that keeps the records of one or two blocks only. */
export const SHORT_WINDOW = { replayBlocks: 1, segmentBytes: 2_000 }

const QUESTIONS: readonly (readonly [method: string, ...params: unknown[]])[] = [
  ['eth_blockNumber'],
  ['eth_getBlockByNumber', 'pending', true],
  ['eth_getBlockByNumber', 'latest', true],
  ['eth_getBlockReceipts', 'pending'],
  ['eth_getBlockReceipts', 'latest'],
  ['eth_getBalance', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 'pending'],
  ['eth_getTransactionCount', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 'pending'],
  ['eth_getProof', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', [], 'pending'],
  ['eth_feeHistory', '0x2', 'latest', [50]],
  ['txpool_content'],
  ['eth_syncing'],
]

/** Asserts equal responses to all requests, byte by byte. */
export async function expectSame(replica: ServedNode, node: ServedNode): Promise<void> {
  const [request, wanted] = [asking(replica), asking(node)]
  for (const question of QUESTIONS) {
    expect(await request(...question), question.join(' ')).toBe(await wanted(...question))
  }
}
