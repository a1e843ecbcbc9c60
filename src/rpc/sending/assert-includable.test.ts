import { beforeEach, describe, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer, type TransferOptions } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { AUTO, type MiningMode } from '../../node/development/mining-mode.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { Compat } from '../compat/compat.ts'

const FLASHBLOCKS: MiningMode = { kind: 'flashblocks' }
const NEXT_BASE_FEE = 2_000_000_000n
const from = DEVELOPMENT_ACCOUNTS[0]!.address
const to = DEVELOPMENT_ACCOUNTS[9]!.address

let node: RpcNode
const send = ({ nonce, maxFeePerGas = 10_000_000_000n }: TransferOptions) =>
  node.request('eth_sendTransaction', {
    from,
    to,
    nonce: toQuantity(nonce),
    gas: '0x5208',
    maxFeePerGas: toQuantity(maxFeePerGas),
    maxPriorityFeePerGas: '0x1',
  })
const sendSigned = (method: string) => (transfer: TransferOptions) =>
  node.request(method, bytesToHex(signTransfer({ maxPriorityFeePerGas: 1n, ...transfer }).raw))

describe.each([
  ['eth_sendTransaction', send],
  ['eth_sendRawTransaction', sendSigned('eth_sendRawTransaction')],
  ['eth_sendRawTransactionSync', sendSigned('eth_sendRawTransactionSync')],
])('%s', (_, submit) => {
  async function start(compat: Compat | undefined, mining: MiningMode): Promise<void> {
    node = await startRpcNode({ development: true, ...(compat && { compat }) }, { development: { mining } })
    await node.result('anvil_setNextBlockBaseFeePerGas', toQuantity(NEXT_BASE_FEE))
  }

  test('with --compat hardhat, a nonce gap is refused while each transaction is mined at once', async () => {
    await start('hardhat', AUTO)

    const { error } = await submit({ nonce: 3n })

    expect(error).toMatchObject({
      code: -32000,
      message:
        "Nonce too high. Expected nonce to be 0 but got 3. Note that transactions can't be queued when automining.",
    })
    expect(await node.result('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  })

  test.each([
    [
      'hardhat',
      AUTO,
      -32000,
      `Transaction maxFeePerGas (1999999999) is too low for the next block, which has a baseFeePerGas of ${NEXT_BASE_FEE}`,
    ],
    ['anvil', AUTO, -32003, 'max fee per gas less than block base fee'],
    ['anvil', FLASHBLOCKS, -32003, 'max fee per gas less than block base fee'],
  ] as const)(
    'with --compat %s, a fee cap below the next base fee is refused',
    async (compat, mining, code, message) => {
      await start(compat, mining)

      const { error } = await submit({ nonce: 0n, maxFeePerGas: NEXT_BASE_FEE - 1n })

      expect(error).toMatchObject({ code, message })
      expect(await node.result('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
    },
  )
})

describe('transactions that the next block cannot include', () => {
  const submit = sendSigned('eth_sendRawTransaction')

  test.each([
    [undefined, AUTO],
    ['hardhat', FLASHBLOCKS],
  ] as const)('wait in the pool with --compat %s and mining %j', async (compat, mining) => {
    node = await startRpcNode({ development: true, ...(compat && { compat }) }, { development: { mining } })
    await node.result('anvil_setNextBlockBaseFeePerGas', toQuantity(NEXT_BASE_FEE))

    expect(await submit({ nonce: 0n, maxFeePerGas: NEXT_BASE_FEE - 1n })).toHaveProperty('result')
    expect(await submit({ nonce: 2n })).toHaveProperty('result')

    expect(await node.result('txpool_status')).toEqual({ pending: '0x1', queued: '0x1' })
  })

  test('wait in the pool of Anvil if their nonce leaves a gap', async () => {
    node = await startRpcNode({ development: true, compat: 'anvil' }, { development: { mining: AUTO } })

    expect(await submit({ nonce: 2n })).toHaveProperty('result')

    expect(await node.result('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' })
  })
})

describe('signed transactions of one sender that are sent at once', () => {
  beforeEach(async () => {
    node = await startRpcNode({ development: true, compat: 'hardhat' }, { development: { mining: AUTO } })
  })

  test('are refused for their chain before their nonce', async () => {
    const { error } = await sendSigned('eth_sendRawTransaction')({ nonce: 3n, chainId: 5n })

    expect(error?.message).toContain('an invalid chainId')
  })

  test('have no gap between their nonces', async () => {
    const submit = sendSigned('eth_sendRawTransaction')

    const responses = await Promise.all([0n, 1n, 2n, 3n].map((nonce) => submit({ nonce })))

    expect(responses.map(({ error }) => error)).toEqual([undefined, undefined, undefined, undefined])
    expect(await node.result('eth_getTransactionCount', from, 'latest')).toBe('0x4')
  })
})
