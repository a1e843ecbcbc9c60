import { toFunctionSelector } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { deployEmitter, EMITTER, signEmission, topicOf } from '../../../test/support/log-emitter.ts'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { ADMIN_SLOT, BASE_TIME } from '../../chain/predeploys/op-stack/op-stack-contracts.ts'
import { BASE_TIME_ADDRESS } from '../../chain/system-transactions/base-time.ts'
import { bytesToHex } from '../../primitives/hex.ts'

const START = 1_767_225_600n
/** The first Denim block is block 3, at 6 s. */
const NODE = { network: { upgrade: 'denim', timestamp: START, denimAfter: 5n } } as const

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode({ development: true }, NODE)
})
async function sealUpTo(height: number): Promise<void> {
  while (Number(await node.result('eth_blockNumber')) < height) await node.nextBlock()
}

function milliseconds(seconds: number): string {
  return `0x${(START * 1_000n + BigInt(seconds * 1_000)).toString(16)}`
}

describe('the activation of Denim', () => {
  test('ends pre-confirmations: pending is the open block before it, and the newest block after it', async () => {
    await sealUpTo(1)
    expect(await node.result('eth_getBlockByNumber', 'pending', false)).toMatchObject({ number: '0x2' })
    expect(await node.result('op_supportedCapabilities')).toEqual(['flashblocksv1'])

    await sealUpTo(2)

    expect(await node.result('eth_getBlockByNumber', 'pending', false)).toMatchObject({ number: '0x2' })
    expect(await node.result('op_supportedCapabilities')).toEqual([])
  })

  test('adds milliseconds to blocks, logs and transactions', async () => {
    await deployEmitter(node)
    const before = signEmission(1n, topicOf(1))
    await node.result('eth_sendRawTransaction', before.raw)
    await sealUpTo(2)
    const after = signEmission(2n, topicOf(1))
    await node.result('eth_sendRawTransaction', after.raw)

    await sealUpTo(4)

    const logs = await node.result('eth_getLogs', { address: EMITTER, fromBlock: '0x0' })
    expect(logs).toMatchObject([{ transactionHash: before.hash }, { blockTimestampMs: milliseconds(6) }])
    expect((logs as unknown as object[])[0]).not.toHaveProperty('blockTimestampMs')
    const blocks = await Promise.all(
      ['0x2', '0x3', '0x4'].map((number) => node.result('eth_getBlockByNumber', number, true)),
    )
    expect(blocks.map(({ timestampMs }) => timestampMs)).toEqual([undefined, milliseconds(6), milliseconds(6.2)])
    expect(await node.result('eth_getTransactionByHash', after.hash)).toMatchObject({
      blockTimestampMs: milliseconds(6),
    })
  })

  test('silences subscriptions to flashblocks from the first Denim block on', async () => {
    const messages: { method?: string; params?: { result: { number: string } } }[] = []
    const connection = node.rpc.connect((text) => messages.push(JSON.parse(text)))
    await connection.receive('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newFlashblocks"]}')

    await sealUpTo(5)

    await expect.poll(() => messages.filter(({ method }) => method !== undefined)).not.toHaveLength(0)
    const heights = messages.flatMap(({ params }) => params?.result.number ?? [])
    expect(new Set(heights)).toEqual(new Set(['0x1', '0x2']))
    connection.close()
  })

  test('gives BaseTime an answer, which reverts before', async () => {
    const call = { to: BASE_TIME_ADDRESS, data: toFunctionSelector('timestampMs()') }
    await sealUpTo(2)
    expect(await node.request('eth_call', call, '0x2')).toHaveProperty('error')
    expect(await node.result('eth_call', call, 'pending')).toBe(
      `0x${BigInt(milliseconds(6)).toString(16).padStart(64, '0')}`,
    )

    await sealUpTo(4)

    expect(BigInt(String(await node.result('eth_call', call, 'latest')))).toBe(BigInt(milliseconds(6.2)))
  })

  test('is traced with the installation of BaseTime', async () => {
    const { raw, hash } = signTransfer({ nonce: 0n, to: BASE_TIME_ADDRESS, value: 0n, gasLimit: 100_000n })
    await sealUpTo(2)
    await node.result('eth_sendRawTransaction', bytesToHex(raw))
    await sealUpTo(3)
    const [, setter] = (await node.result('debug_traceBlockByNumber', '0x3', {
      tracer: 'callTracer',
    })) as unknown as { result: Record<string, unknown> }[]

    expect(setter?.result).not.toHaveProperty('error')
    expect(setter?.result).toMatchObject({ calls: [{ type: 'DELEGATECALL' }] })
    expect(await node.result('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x3' })
  })

  test('executes bundles at the times of both sides', async () => {
    await sealUpTo(1)
    const timeAt = async (blockNumber: string) => {
      // `TIMESTAMP PUSH0 MSTORE PUSH1 32 PUSH0 RETURN` as initcode: the code that it returns is the time.
      const { raw } = signTransfer({
        nonce: 0n,
        to: null,
        value: 0n,
        data: Buffer.from('425f5260205ff3', 'hex'),
        gasLimit: 300_000n,
      })
      const { results } = await node.result('eth_callBundle', { txs: [bytesToHex(raw)], blockNumber })
      return BigInt(String((results as { value: string }[])[0]!.value)) - START
    }

    expect([await timeAt('0x2'), await timeAt('0x3'), await timeAt('0x8')]).toEqual([4n, 6n, 7n])
  })

  test.each([
    ['anvil_setCode', [BASE_TIME.address, '0x']],
    ['hardhat_setStorageAt', [BASE_TIME.address, ADMIN_SLOT, `0x${'00'.repeat(32)}`]],
    ['anvil_setCode', [BASE_TIME.implementation, '0x00']],
  ])('cannot be prevented by %s of BaseTime', async (method, params) => {
    expect((await node.request(method, ...params)).error?.message).toContain('cannot be changed')

    await sealUpTo(4)

    expect(await node.result('eth_getBlockByNumber', '0x4', false)).toMatchObject({ timestampMs: milliseconds(6.2) })
  })

  test('leaves BaseTime as it is when a dump of before the activation is loaded', async () => {
    await node.result('anvil_setBalance', EMITTER, '0x5')
    const dump = await node.result('anvil_dumpState')
    await sealUpTo(4)

    expect(await node.result('anvil_loadState', dump)).toBe(true)

    const call = { to: BASE_TIME_ADDRESS, data: toFunctionSelector('timestampMs()') }
    expect(BigInt(String(await node.result('eth_call', call, 'latest')))).toBe(BigInt(milliseconds(6.2)))
    expect(await node.result('eth_getBalance', EMITTER, 'latest')).toBe('0x5')
  })

  test('keeps gas limits below the sum of its opening transactions times ten out until then', async () => {
    expect((await node.request('evm_setBlockGasLimit', '0x1312cff')).error?.message).toContain('below 20000000')
    await sealUpTo(2)

    expect(await node.request('evm_setBlockGasLimit', '0x1312cff')).not.toHaveProperty('error')
    await sealUpTo(3)
    expect(await node.result('eth_getBlockByNumber', '0x3', false)).toMatchObject({ gasLimit: '0x1312cff' })
  })
})
