import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ChainDirectories } from '../../../test/support/chain-directory.ts'
import { endAll, endLater, follow } from '../../../test/support/replica-scene.ts'
import { asking, serveStream } from '../../../test/support/replicas.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { L1_BLOCK_ADDRESS } from '../../chain/constants.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { encodeExecutable, encodeWaitingTransaction } from '../../chain/transaction/conditional-transaction.ts'
import { DENIM_BLOCKS } from '../../node/production/building/schedule.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { bigintToHash, toQuantity } from '../../primitives/quantity.ts'

const NETWORK = { upgrade: 'denim', timestamp: 1_767_225_600n } as const
const NODE = { network: NETWORK, schedule: DENIM_BLOCKS }
const METHOD = 'base_sendRawTransactionValidity'
const directories = new ChainDirectories()
afterAll(() => directories.remove())
afterEach(endAll)

const { raw: RAW, hash: HASH, from: SENDER } = signTransfer({ nonce: 0n, to: null, value: 0n, gasLimit: 100_000n })
const BLOCK = (op: string, value: string) => ({ type: 'block_number', params: { op, value } })
const BOUND = BLOCK('<=', '0xa')
const { from: OTHER_SENDER } = signTransfer({ from: 1, nonce: 0n })

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode({}, NODE)
  endLater(() => node.stop())
})

function send(validity: readonly unknown[], raw = RAW): ReturnType<RpcNode['request']> {
  return node.request(METHOD, bytesToHex(raw), { validity })
}

async function seal(count: number): Promise<void> {
  for (let sealed = 0; sealed < count; sealed++) await node.nextBlock()
}

async function waitOf(hash: string): Promise<unknown> {
  return (await node.result('tickertape_transactionStatus', hash)).waitsFor
}

async function balanceOf(address: string): Promise<string> {
  return String(await node.result('eth_getBalance', address, 'latest'))
}

async function heightOf(hash: string): Promise<number | undefined> {
  const receipt = await node.result('eth_getTransactionReceipt', hash)
  return receipt === null ? undefined : Number(receipt.blockNumber)
}

describe(METHOD, () => {
  test('includes a transaction in the first block in which all predicates hold', async () => {
    const balance = { type: 'balance', params: { address: SENDER, op: '>', value: '0x1' } }

    expect(await send([BLOCK('>=', '0x3'), BLOCK('<', '0x9'), balance])).toMatchObject({ result: HASH })

    await seal(1)
    expect(await heightOf(HASH)).toBeUndefined()
    expect(await waitOf(HASH)).toEqual({ reason: 'predicates', predicateIndex: '0x0' })
    await seal(1)
    expect(await waitOf(HASH)).toEqual({ reason: 'flashblock' })
    await seal(2)
    expect(await heightOf(HASH)).toBe(3)
    expect(await node.result('eth_getTransactionByHash', HASH)).not.toHaveProperty('validity')
  })

  test('checks a balance against the state so far in the block', async () => {
    const before = await balanceOf(OTHER_SENDER)
    await send([BOUND, { type: 'balance', params: { address: OTHER_SENDER, op: '<', value: before } }])
    await seal(2)
    expect(await heightOf(HASH)).toBeUndefined()
    expect(await waitOf(HASH)).toEqual({ reason: 'predicates', predicateIndex: '0x1' })

    // A higher tip: it comes first.
    const { raw } = signTransfer({ from: 1, nonce: 0n, maxPriorityFeePerGas: 2_000_000n })
    await node.result('eth_sendRawTransaction', bytesToHex(raw))
    await seal(1)

    expect(await heightOf(HASH)).toBe(3)
  })

  test('checks the masked bits of a storage slot', async () => {
    await seal(1)
    // The lowest 64 bits of slot 0 of L1Block: the number of the block of layer 1, which changes every 12 seconds.
    const mask = 2n ** 64n - 1n
    const word = BigInt(String(await node.result('eth_getStorageAt', L1_BLOCK_ADDRESS, '0x0', 'latest')))
    const next = toQuantity((word & mask) + 1n)
    const params = { address: L1_BLOCK_ADDRESS, slot: bigintToHash(0n), op: '=', value: next, mask: toQuantity(mask) }

    expect(await send([BLOCK('<=', '0x50'), { type: 'storage', params }])).toMatchObject({ result: HASH })

    await seal(1)
    expect(await heightOf(HASH)).toBeUndefined()
    await seal(60)
    const height = toQuantity((await heightOf(HASH))!)
    const before = toQuantity(Number(height) - 1)
    const words = await Promise.all(
      [before, height].map((number) => node.result('eth_getStorageAt', L1_BLOCK_ADDRESS, '0x0', number)),
    )
    expect(words.map((found) => toQuantity(BigInt(String(found)) & mask))).toEqual([toQuantity(word & mask), next])
  })

  test('refuses a value with bits outside the mask', async () => {
    const params = { address: L1_BLOCK_ADDRESS, slot: bigintToHash(0n), op: '=', value: '0x100', mask: '0xff' }

    expect(await send([BOUND, { type: 'storage', params }])).toMatchObject({
      error: { code: -32602, message: 'storage predicate at index 1 has value bits set outside its mask' },
    })
  })

  test('drops a transaction whose bound has passed, also behind a gap', async () => {
    const gap = signTransfer({ from: 2, nonce: 5n })
    const never = { type: 'balance', params: { address: SENDER, op: '=', value: '0x0' } }
    await send([BLOCK('<=', '0x3'), never])
    await send([BLOCK('<', '0x4')], gap.raw)
    await seal(2)
    expect(await node.result('tickertape_transactionStatus', gap.hash)).toMatchObject({ status: 'pooled' })

    await seal(2)

    for (const hash of [HASH, gap.hash]) {
      expect(await node.result('tickertape_transactionStatus', hash)).toMatchObject({
        status: 'dropped',
        reason: 'expired',
      })
    }
    expect(await node.result('txpool_status')).toMatchObject({ pending: '0x0', queued: '0x0' })
  })

  test.each<[readonly unknown[], string]>([
    [[], 'validity predicates must not be empty'],
    [Array.from({ length: 65 }, () => BOUND), 'too many validity predicates: 65 (maximum 64)'],
    [[BLOCK('>=', '0x3')], 'must bound block_number from above'],
    [[BLOCK('<', '0x3')], 'is in the past: the newest block is 2'],
    [[BLOCK('<=', '0x12f')], 'is beyond 302, the last block of the next 60 seconds'],
    [[BLOCK('<>', '0x3')], 'op must be one of < <= = != > >='],
    [[{ type: 'time', params: {} }], 'type must be one of balance storage block_number flashblock_index'],
    [[{ ...BOUND, more: 1 }], 'unknown field "more"'],
    [[{ type: 'balance', params: { op: '=', value: '0x0' } }], 'missing field address'],
  ])('refuses predicates (%#)', async (validity, message) => {
    await seal(2)

    const { error } = await send(validity)

    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(message) })
    expect(await node.result('txpool_status')).toMatchObject({ pending: '0x0', queued: '0x0' })
  })

  test('accepts the last block of the window', async () => {
    await seal(2)
    expect(await send([BLOCK('<=', '0x12e')])).toMatchObject({ result: HASH })
  })

  test.each([
    [new Uint8Array([2, 0xc0]), /^failed to decode transaction: /],
    [new Uint8Array([0x7e, 0xc0]), /^failed to decode transaction: /],
  ])('refuses bytes that are no transaction (%#)', async (raw, message) => {
    expect((await send([BOUND], raw)).error).toMatchObject({ code: -32602, message: expect.stringMatching(message) })
  })

  test('refuses unknown options, and other chains than those with Denim', async () => {
    const { error } = await node.request(METHOD, bytesToHex(RAW), { validity: [BOUND], expires: 1 })
    expect(error?.message).toContain('unknown field "expires"')
    const other = await startRpcNode()
    endLater(() => other.stop())
    expect(await other.request(METHOD, bytesToHex(RAW), { validity: [BOUND] })).toMatchObject({
      error: { code: -32601 },
    })
  })

  test('keeps the predicates over a restart', async () => {
    const directory = directories.next()
    const first = await startRpcNode({}, { ...NODE, directory })
    node = first
    await send([BLOCK('=', '0x4')])
    await seal(1)
    await first.stop()
    node = await startRpcNode({}, { ...NODE, directory, clock: first.clock })
    endLater(() => node.stop())

    await seal(4)

    expect(await heightOf(HASH)).toBe(4)
  })

  test('is forwarded by a replica, with the predicates', async () => {
    const stream = await serveStream(node.node)
    endLater(() => stream.close())
    const replica = await follow(stream.url, createNetwork(NETWORK))
    const request = asking(replica)

    const response = JSON.parse(await request(METHOD, bytesToHex(RAW), { validity: [BLOCK('=', '0x3')] }))

    expect(response).toMatchObject({ result: HASH })
    await seal(4)
    expect(await heightOf(HASH)).toBe(3)
    await expect.poll(() => replica.view().transaction(HASH)?.kind).toBe('included')
  })

  test.each(['eth_sendRawTransaction', 'eth_sendRawTransactionSync'])(
    'has no other way in: %s refuses a transaction with predicates',
    async (method) => {
      const conditional = encodeWaitingTransaction({
        ...signTransfer({ nonce: 0n }),
        validity: [{ type: 'block_number', op: '<=', value: 1_000_000n }],
      })

      expect((await node.request(method, bytesToHex(conditional))).error?.message).toContain('not supported')
      const prefixed = await node.request(method, bytesToHex(encodeExecutable(signTransfer({ nonce: 0n }).raw)))
      expect(prefixed.error?.message).toContain('not supported')
      expect(await node.result('txpool_status')).toMatchObject({ pending: '0x0' })
    },
  )
})
