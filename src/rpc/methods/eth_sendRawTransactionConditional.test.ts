import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ChainDirectories } from '../../../test/support/chain-directory.ts'
import { endAll, endLater, follow } from '../../../test/support/replica-scene.ts'
import { asking, serveStream } from '../../../test/support/replicas.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { EMPTY_TRIE_ROOT } from '../../chain/constants.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { type Address, bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { bigintToHash, bigintToWord, toQuantity } from '../../primitives/quantity.ts'

const METHOD = 'eth_sendRawTransactionConditional'
const NODE = { network: { upgrade: 'jovian' } } as const
const directories = new ChainDirectories()
afterAll(() => directories.remove())
afterEach(endAll)

/** Its code stores the first word of calldata in slot 0. */
const CREATION = hexToBytes('0x66600035600055005f5260076019f3')
const SENT = signTransfer({ from: 1, nonce: 0n })
const SLOT = bigintToHash(0n)

let node: RpcNode
let store: Address
beforeEach(async () => {
  node = await startRpcNode({}, NODE)
  endLater(() => node.stop())
  const { raw, hash } = signTransfer({ nonce: 0n, to: null, value: 0n, data: CREATION, gasLimit: 200_000n })
  await node.result('eth_sendRawTransaction', bytesToHex(raw))
  await node.nextBlock()
  store = (await node.result('eth_getTransactionReceipt', hash)).contractAddress as Address
  await storeWord(1n, 1n)
  await node.nextBlock()
  await node.nextBlock()
})

function send(options: object, raw = SENT.raw): ReturnType<RpcNode['request']> {
  return node.request(METHOD, bytesToHex(raw), options)
}

/** A transaction of another sender with a higher tip, which a block includes first. */
async function storeWord(nonce: bigint, word: bigint): Promise<void> {
  const call = { to: store, value: 0n, data: bigintToWord(word), gasLimit: 100_000n }
  const { raw } = signTransfer({ nonce, ...call, maxPriorityFeePerGas: 9_000_000n })
  await node.result('eth_sendRawTransaction', bytesToHex(raw))
}

function holds(word: bigint): object {
  return { knownAccounts: { [store]: { [SLOT]: bigintToHash(word) } } }
}

async function statusOf(hash: string): Promise<unknown> {
  return node.result('tickertape_transactionStatus', hash)
}

async function rootOf(): Promise<string> {
  return String((await node.result('eth_getProof', store, [], 'latest')).storageHash)
}

const DROPPED = { status: 'dropped', reason: 'invalid', details: 'a condition no longer holds' }

describe(METHOD, () => {
  test('includes a transaction whose conditions hold', async () => {
    const latest = await node.result('eth_getBlockByNumber', 'latest', false)
    const bounds = {
      blockNumberMin: latest.number,
      blockNumberMax: toQuantity(Number(latest.number) + 5),
      timestampMin: latest.timestamp,
      timestampMax: toQuantity(BigInt(String(latest.timestamp)) + 10n),
    }
    const root = { knownAccounts: { [store]: await rootOf() } }
    const other = signTransfer({ from: 2, nonce: 0n })

    expect(await send({ ...bounds, ...holds(1n) })).toMatchObject({ result: SENT.hash })
    expect(await send(root, other.raw)).toMatchObject({ result: other.hash })

    await node.nextBlock()
    for (const { hash } of [SENT, other]) expect(await statusOf(hash)).toMatchObject({ status: 'sealed' })
  })

  test('drops it when a slot changes before its turn in the same flashblock', async () => {
    await send(holds(1n))
    await storeWord(2n, 7n)

    await node.nextFlashblock()

    expect(await statusOf(SENT.hash)).toEqual(DROPPED)
    expect(await node.result('txpool_status')).toMatchObject({ pending: '0x0', queued: '0x0' })
  })

  test('drops it when the storage root has changed since an earlier flashblock', async () => {
    await storeWord(2n, 7n)
    await node.nextFlashblock()
    await send({ knownAccounts: { [store]: await rootOf() } })

    await node.nextFlashblock()

    expect(await statusOf(SENT.hash)).toEqual(DROPPED)
  })

  test('drops it once the block or time is beyond its range, also behind a nonce gap', async () => {
    const gap = signTransfer({ from: 1, nonce: 5n })
    await send({ blockNumberMax: toQuantity(await heightOf()) }, gap.raw)
    await node.nextBlock()
    expect(await statusOf(gap.hash)).toMatchObject({ status: 'dropped', reason: 'expired' })

    const { timestamp } = await node.result('eth_getBlockByNumber', 'latest', false)
    await send({ timestampMax: timestamp })
    await node.nextBlock()
    expect(await statusOf(SENT.hash)).toEqual(DROPPED)
  })

  test.each<[(height: number) => object, string]>([
    [(height) => ({ blockNumberMin: toQuantity(height + 1) }), 'failed header check: failed block number minimum'],
    [(height) => ({ blockNumberMax: toQuantity(height - 1) }), 'failed header check: failed block number maximum'],
    [() => ({ timestampMin: '0xffffffffffff' }), 'failed header check: failed timestamp minimum'],
    [() => ({ timestampMax: '0x1' }), 'failed header check: failed timestamp maximum'],
    [() => ({ blockNumberMin: '0x2', blockNumberMax: '0x1' }), 'failed conditional validation: block number minimum'],
    [() => ({ timestampMin: '0x2', timestampMax: '0x1' }), 'failed conditional validation: timestamp minimum'],
    [
      () => holds(2n),
      `failed state check: failed account storage slot key ${SLOT} constraint. Got ${bigintToHash(1n)}`,
    ],
    [() => ({ knownAccounts: { [store]: EMPTY_TRIE_ROOT } }), 'failed state check: failed account storage root'],
  ])('refuses a condition that does not hold with -32003 (%#)', async (options, message) => {
    const { error } = await send(options(await heightOf()))

    expect(error).toMatchObject({ code: -32003, message: expect.stringContaining(message) })
    expect(await node.result('txpool_status')).toMatchObject({ pending: '0x0', queued: '0x0' })
  })

  test('refuses what has held for less than one block', async () => {
    await storeWord(2n, 7n)
    await node.nextBlock()

    const refused = await send(holds(7n))
    const { parentHash } = await node.result('eth_getBlockByNumber', 'latest', false)

    const message = `failed parent block ${parentHash} state check: failed account storage slot`
    expect(refused.error).toMatchObject({ code: -32003, message: expect.stringContaining(message) })
    await node.nextBlock()
    expect(await send(holds(7n))).toMatchObject({ result: SENT.hash })
  })

  test('refuses a cost above 1,000 with -32005, by the measure of op-geth', async () => {
    const slots = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [bigintToHash(BigInt(index + 9)), bigintToHash(0n)]),
      )
    const bounds = { blockNumberMax: '0xffff', timestampMin: '0x1', timestampMax: '0xffffffffffff' }

    const refused = await send({ ...bounds, knownAccounts: { [store]: slots(999) } })

    expect(refused.error).toEqual({ code: -32005, message: 'conditional cost, 1001, exceeded max: 1000' })
    expect(await send({ ...bounds, knownAccounts: { [store]: slots(998) } })).toMatchObject({ result: SENT.hash })
    await node.nextBlock()
    expect(await statusOf(SENT.hash)).toMatchObject({ status: 'sealed' })
  })

  test.each([
    [{ paysCoinbase: '0x1' }, 'unknown condition "paysCoinbase"'],
    [{ knownAccounts: { [`0x${'11'.repeat(20)}`]: { balance: '0x1' } } }, 'balance: '],
    [{ knownAccounts: { '0x11': EMPTY_TRIE_ROOT } }, 'knownAccounts.0x11: '],
  ])('refuses conditions that it cannot check (%#)', async (options, message) => {
    expect((await send(options)).error).toMatchObject({ code: -32602, message: expect.stringContaining(message) })
  })

  test('accepts a transaction without conditions, and refuses one that does not decode', async () => {
    expect((await send(holds(1n), hexToBytes('0x02c0'))).error).toMatchObject({ code: -32000 })
    expect(await send({})).toMatchObject({ result: SENT.hash })
  })

  test('exists on chains of the OP stack only', async () => {
    const other = await startRpcNode()
    endLater(() => other.stop())

    expect((await other.request(METHOD, bytesToHex(SENT.raw), {})).error).toMatchObject({ code: -32601 })
  })

  test('keeps the conditions over a restart, and through a replica', async () => {
    const directory = directories.next()
    const first = await startRpcNode({}, { ...NODE, directory })
    const stream = await serveStream(first.node)
    const replica = await follow(stream.url, createNetwork(NODE.network))
    const options = { knownAccounts: { [SENT.from]: { [SLOT]: bigintToHash(0n) } }, timestampMax: '0xffffffffffff' }
    const forwarded = await asking(replica)(METHOD, bytesToHex(signTransfer({ from: 1, nonce: 1n }).raw), options)
    expect(JSON.parse(forwarded)).toHaveProperty('result')
    await stream.close()
    await first.stop()

    const second = await startRpcNode({}, { ...NODE, directory, clock: first.clock })
    endLater(() => second.stop())

    const [entry] = second.node.view().pool.bySender(SENT.from)
    expect(entry?.transaction).toMatchObject({
      mustStayValid: true,
      validity: [
        { type: 'timestamp', op: '<=', value: 0xffffffffffffn },
        { type: 'storage', op: '=', value: 0n },
      ],
    })
  })
})

async function heightOf(): Promise<number> {
  return Number(await node.result('eth_blockNumber'))
}
