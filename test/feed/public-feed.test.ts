import { brotliDecompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { bytesToHex } from '../../src/primitives/hex.ts'
import { blocksOf, FeedClient } from '../support/feed-client.ts'
import { type JsonRpcClient, jsonRpcClient, type WireBlock } from '../support/json-rpc-client.ts'
import { startNode } from '../support/running-node.ts'
import { testRandom } from '../support/test-seed.ts'
import { signTransfer } from '../support/transfers.ts'

const MEBIBYTE = 1024 * 1024
/**
 * Three of these, in hex, are two thirds of a mebibyte, so that a few flashblocks exceed the queue limit of a
 * connection.
 */
const CALLDATA_BYTES = 110_000

test('subscribers receive every flashblock in order, with the hashes that are sealed; a slow one is disconnected', async () => {
  const node = await startNode({ maxQueuedBytes: 4 * MEBIBYTE })
  onTestFinished(() => node.close())
  const client = jsonRpcClient(node.urls.rpc)
  const feed = `${node.urls.ws}/feed`
  const [text, brotli, slow] = await Promise.all([
    FeedClient.connect(feed),
    FeedClient.connect(`${feed}?compression=brotli`),
    FeedClient.connect(feed),
  ])
  slow!.socket.pause()
  await sendUntil(
    client,
    async () => (await metric(node.urls.rpc, 'tickertape_dropped_consumers_total{reason="slow"}')) === 1,
  )
  slow!.socket.resume()
  expect(await slow!.closed).toBe(1013)
  const last = Number(await client.result<string>('eth_blockNumber')) + 1
  const isThrough = ({ flashblocks }: FeedClient) => flashblocks.some(({ number }) => number > last)
  await Promise.all([text!, brotli!].map((one) => one.until(() => isThrough(one))))
  expect(await metric(node.urls.rpc, 'tickertape_feed_subscribers{form="text"}')).toBe(1)

  for (const { flashblocks } of [text!, brotli!]) {
    const hashes = blocksOf(flashblocks)
    const heights = [...hashes.keys()].slice(0, -1)
    expect(heights.length).toBeGreaterThanOrEqual(2)
    for (const height of heights) {
      const sealed = await client.result<WireBlock>('eth_getBlockByNumber', `0x${height.toString(16)}`, false)
      expect(hashes.get(height)).toBe(sealed.hash)
    }
  }
  for (const [index, { bytes }] of brotli!.frames.entries()) {
    const plain = text!.frames[index]?.bytes
    if (plain !== undefined) expect(brotliDecompressSync(bytes).equals(plain)).toBe(true)
  }
  expect(text!.frames.some(({ isBinary }) => isBinary)).toBe(false)
  expect(brotli!.frames.every(({ isBinary }) => isBinary)).toBe(true)
  // The messages that it received are in order, too.
  expect(blocksOf(slow!.flashblocks).size).toBeGreaterThan(0)
  await Promise.all([text!.close(), brotli!.close()])
})

/** Sends three large transactions per flashblock, awaiting each response, until the condition holds. */
async function sendUntil(client: JsonRpcClient, isDone: () => Promise<boolean>): Promise<void> {
  const random = testRandom()
  for (let nonce = 0n; !(await isDone()); nonce++) {
    const sends = [0, 1, 2].map((from) => {
      const data = Uint8Array.from({ length: CALLDATA_BYTES }, () => random() * 256)
      const { raw } = signTransfer({ from, nonce, data, gasLimit: 5_000_000n })
      return client.result('eth_sendRawTransactionSync', bytesToHex(raw))
    })
    await Promise.all(sends)
  }
}

/** The value of a metric; the sum over its labels if none are given. */
async function metric(url: string, name: string): Promise<number> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n')
  return lines.filter((line) => line.startsWith(name)).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
