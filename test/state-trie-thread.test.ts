import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createNetwork } from '../src/chain/genesis/networks.ts'
import { buildGenesis } from '../src/node/core/genesis-chain.ts'
import type { TrieThread, TrieThreadData } from '../src/node/tries/start-trie-thread.ts'
import type { TrieResponse } from '../src/node/tries/trie-messages.ts'
import { type Address, bytesToHex, type Hash, ZERO_HASH } from '../src/primitives/hex.ts'
import { bigintToWord } from '../src/primitives/quantity.ts'
import { type ManualNode, startManualNode } from './support/manual-node.ts'
import { signTransfer } from './support/transfers.ts'

/** The built program: a thread runs no TypeScript. */
const { startTrieThread } = (await import(
  new URL('../dist/node/tries/start-trie-thread.js', import.meta.url).href
)) as typeof import('../src/node/tries/start-trie-thread.ts')

const MANY = 70

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tickertape-trie-thread-'))
})

afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

function recipient(number: number): Address {
  return bytesToHex(bigintToWord(BigInt(number) + 0xb0b0_0000n).subarray(12)) as Address
}

/** The thread, and a promise for its first response of a kind. */
function received(data: TrieThreadData) {
  const kinds: string[] = []
  const waiting: { readonly kind: string; readonly resolve: () => void }[] = []
  const real = startTrieThread(data)
  const thread: TrieThread = {
    ...real,
    listen: (onResponse, onEnd) =>
      real.listen((response) => {
        kinds.push(response.kind)
        onResponse(response)
        for (const { kind, resolve } of waiting) if (kind === response.kind) resolve()
      }, onEnd),
  }
  const first = (kind: TrieResponse['kind']) =>
    new Promise<void>((resolve) => {
      if (kinds.includes(kind)) resolve()
      else waiting.push({ kind, resolve })
    })
  return { thread, kinds, first }
}

test('a node with a trie thread builds the same blocks as one without', async () => {
  let listened: ReturnType<typeof received> | undefined
  const startThread = (data: TrieThreadData) => {
    listened = received(data)
    return listened.thread
  }
  const nodes: readonly ManualNode[] = [
    await startManualNode({ directory: join(directory, 'thread'), startTrieThread: startThread }),
    await startManualNode({ directory: join(directory, 'alone') }),
  ]
  let sent = 0
  const flashblock = async () => {
    for (let index = 0; index < MANY; index++, sent++) {
      const { raw } = signTransfer({ nonce: BigInt(sent), to: recipient(sent) })
      for (const { node } of nodes) await node.submit(raw)
    }
    for (const { nextFlashblock } of nodes) await nextFlashblock()
  }
  await flashblock()
  await listened!.first('begun')
  for (let block = 1; block <= 2; block++) {
    await flashblock()
    for (const { nextBlock } of nodes) await nextBlock()
  }
  const [one, other] = nodes.map(({ node }) => node.view().head)
  expect(one!.base.number).toBe(2)
  expect(one!.pending.block.hash).toBe(other!.pending.block.hash)
  for (const address of [recipient(0), recipient(sent - 1)]) {
    const [proof, expected] = [one!, other!].map(({ baseTrie }) => baseTrie.accountProof(address).map(bytesToHex))
    expect(proof).toEqual(expected)
  }
  expect(listened!.kinds.filter((kind) => kind === 'writes')).toHaveLength(2)
  expect(listened!.kinds).not.toContain('unknown')
  for (const { node } of nodes) await node.stop()
})

test.each<[string, (identity: TrieThreadData['identity']) => Partial<TrieThreadData>, RegExp]>([
  ['that is not there', () => ({ directory: '/nonexistent' }), /no database/],
  [
    'of another chain',
    (identity) => ({ identity: { ...identity, genesisHash: ZERO_HASH as Hash } }),
    /another chain|genesis/,
  ],
])('a thread upon a directory %s says so, and ends', async (_, change, message) => {
  const { genesis } = createNetwork()
  const identity = { chainId: genesis.config.chainId, genesisHash: buildGenesis(genesis).block.hash }
  const path = join(directory, 'chain')
  const { node } = await startManualNode({ directory: path })
  const thread = startTrieThread({ directory: path, identity, ...change(identity) })
  const error = await new Promise<unknown>((resolve) => thread.listen(() => {}, resolve))
  expect(String(error)).toMatch(message)
  await thread.end()
  await node.stop()
})
