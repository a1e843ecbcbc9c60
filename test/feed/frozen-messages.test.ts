import { readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import type { Genesis } from '../../src/chain/genesis/genesis.ts'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import { flashblockMessage } from '../../src/feed/flashblock-message.ts'
import { bytesToHex, EMPTY_BYTES, hexToBytes } from '../../src/primitives/hex.ts'
import { blocksOf } from '../support/feed-client.ts'
import { readFlashblock } from '../support/flashblocks/flashblock-reader.ts'
import { signDeployment, signEmission, topicOf } from '../support/log-emitter.ts'
import { startManualNode } from '../support/manual-node.ts'
import { signTransfer } from '../support/transfers.ts'

/**
 * The messages of two blocks and the first of a third, one per line. Existing readers rely on them: they change only
 * with the wire format.
 */
const FROZEN = readFileSync(new URL('frozen-messages.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')

/**
 * The default rules with the DA footprint enabled, and without predeploys, whose changes must not affect these
 * messages.
 */
function bareGenesis(): Genesis {
  const { genesis } = createNetwork({ daFootprintGasScalar: 400 })
  const account = { balance: 10n ** 22n, nonce: 0n, code: EMPTY_BYTES, storage: new Map() }
  return { ...genesis, alloc: new Map(DEVELOPMENT_ACCOUNTS.map(({ address }) => [address, account])) }
}

test('the messages are byte for byte those of earlier releases', async () => {
  const { node, nextFlashblock, nextBlock } = await startManualNode({ genesis: bareGenesis() })
  const messages = [...node.view().head.pending.layers].map(flashblockMessage)
  const sealed: string[] = []
  node.events.on('flashblock', ({ layer }) => messages.push(flashblockMessage(layer)))
  node.events.on('sealed', ({ block }) => sealed.push(block.hash))
  const submit = async (...raws: readonly string[]) => {
    for (const raw of raws) await node.submit(hexToBytes(raw))
    await nextFlashblock()
  }
  await submit(signDeployment().raw, bytesToHex(signTransfer({ from: 1, nonce: 0n }).raw))
  await submit()
  await submit(signEmission(1n, topicOf(1)).raw, signEmission(2n, topicOf(2)).raw)
  await nextBlock()
  await submit(
    bytesToHex(signTransfer({ from: 1, nonce: 1n, data: new Uint8Array(300).fill(7), gasLimit: 50_000n }).raw),
  )
  await nextBlock()
  expect(messages.map((message) => JSON.stringify(message))).toEqual(FROZEN)
  expect([...blocksOf(FROZEN.map(readText)).values()].slice(0, 2)).toEqual(sealed)
  await node.stop()
})

function readText(text: string) {
  const result = readFlashblock(Buffer.from(text))
  if (result.kind === 'refused') return expect.unreachable(result.fault.message)
  expect(readFlashblock(brotliCompressSync(text))).toEqual(result)
  return result.flashblock
}

test('a reader finds two complete blocks in them, and the beginning of a third', () => {
  const flashblocks = FROZEN.map(readText)
  const hashes = blocksOf(flashblocks)
  expect([...hashes.keys()]).toEqual([1, 2, 3])
  const parents = flashblocks.filter(({ index }) => index === 0).map(({ base }) => base!.parentHash)
  expect(parents.slice(1)).toEqual([hashes.get(1), hashes.get(2)])
  expect(flashblocks.map(({ diff }) => diff.transactions.length).filter((count) => count > 0)).toEqual([2, 2, 1])
  expect(flashblocks.at(-2)!.diff.blobGasUsed).toBeGreaterThan(0)
})
