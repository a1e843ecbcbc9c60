import { describe, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { AUTO } from '../../../node/development/mining-mode.ts'

const ACCOUNT = `0x${'00'.repeat(18)}beef`
const WORD = `0x${'00'.repeat(31)}2a`

let node: RpcNode
const mine = () => node.node.development!.mining.mine({ blocks: 1 })

async function start(options: Parameters<typeof startRpcNode>[0] = {}): Promise<void> {
  node = await startRpcNode({ development: true, ...options }, { development: { mining: AUTO } })
}

test.each([
  ['anvil_setBalance', ['0x64'], 'eth_getBalance', '0x64'],
  ['hardhat_setBalance', ['0x64'], 'eth_getBalance', '0x64'],
  ['tenderly_setBalance', ['0x64'], 'eth_getBalance', '0x64'],
  ['anvil_addBalance', [100], 'eth_getBalance', '0x64'],
  ['anvil_setNonce', [7], 'eth_getTransactionCount', '0x7'],
  ['evm_setAccountNonce', ['0x7'], 'eth_getTransactionCount', '0x7'],
  ['anvil_setCode', ['5f5ff3'], 'eth_getCode', '0x5f5ff3'],
  ['hardhat_setCode', ['0x5f5ff3'], 'eth_getCode', '0x5f5ff3'],
])('%s shows at latest and pending, not below, and in the next block', async (method, params, read, expected) => {
  await start()
  await mine()
  const before = await node.result(read, ACCOUNT, 'latest')
  const { stateRoot } = await node.result('eth_getBlockByNumber', 'latest', false)

  const result = await node.result(method, ACCOUNT, ...params)

  expect(result).toBe(method.startsWith('hardhat') ? true : null)
  expect(await node.result(read, ACCOUNT, 'latest')).toBe(expected)
  expect(await node.result(read, ACCOUNT, 'pending')).toBe(expected)
  expect(await node.result(read, ACCOUNT, '0x0')).toBe(before)
  expect(await node.result('eth_getBlockByNumber', 'latest', false)).toMatchObject({ number: '0x1', stateRoot })
  await mine()
  expect(await node.result(read, ACCOUNT, '0x2')).toBe(expected)
  expect(await node.result(read, ACCOUNT, '0x1')).toBe(expected)
  expect(await node.result(read, ACCOUNT, '0x0')).toBe(before)
})

/** Returns 42; far longer than EIP-170 allows. */
const LARGE_CODE = `0x602a5f5260205ff3${'00'.repeat(100_000)}`

test.each(['anvil_setCode', 'hardhat_setCode', 'evm_setAccountCode'])(
  '%s sets code that no creation may deploy',
  async (method) => {
    await start()

    for (const code of [LARGE_CODE, '0xef00', '0xef0100', '0xfe']) {
      await node.result(method, ACCOUNT, code)
      await mine()
      expect(await node.result('eth_getCode', ACCOUNT, 'latest')).toBe(code)
    }
    await node.result(method, ACCOUNT, LARGE_CODE)
    expect(await node.result('eth_call', { to: ACCOUNT })).toBe(WORD)
  },
)

test('a state override sets code that no creation may deploy', async () => {
  await start()

  expect(await node.result('eth_call', { to: ACCOUNT }, 'latest', { [ACCOUNT]: { code: LARGE_CODE } })).toBe(WORD)
  const { error } = await node.request('eth_call', { to: ACCOUNT }, 'latest', { [ACCOUNT]: { code: '0xef00' } })
  expect(error?.message).toContain('invalid opcode')
})

test('setters take the highest balance, nonce and word', async () => {
  await start()
  const most = `0x${'f'.repeat(64)}`

  await node.result('anvil_setBalance', ACCOUNT, most)
  await node.result('anvil_addBalance', ACCOUNT, '0x1')
  await node.result('anvil_setNonce', ACCOUNT, '0xffffffffffffffff')
  await node.result('anvil_setStorageAt', ACCOUNT, most, most)
  await mine()

  expect(await node.result('eth_getBalance', ACCOUNT)).toBe(most)
  expect(await node.result('eth_getTransactionCount', ACCOUNT)).toBe('0xffffffffffffffff')
  expect(await node.result('eth_getStorageAt', ACCOUNT, most)).toBe(most)
})

test('anvil_setStorageAt accepts a slot in any form of number', async () => {
  await start()
  for (const [index, slot] of [3, '3', '0x3', `0x${'00'.repeat(31)}03`].entries()) {
    const word = `0x${'00'.repeat(31)}0${index + 1}`
    expect(await node.result('anvil_setStorageAt', ACCOUNT, slot, word)).toBe(true)
    expect(await node.result('eth_getStorageAt', ACCOUNT, '0x3', 'latest')).toBe(word)
  }
})

test('hardhat_setStorageAt accepts zeros before the number of a slot', async () => {
  await start()
  expect(await node.result('hardhat_setStorageAt', ACCOUNT, `0x${'0'.repeat(301)}${'f'.repeat(64)}`, WORD)).toBe(true)
  expect(await node.result('eth_getStorageAt', ACCOUNT, `0x${'f'.repeat(64)}`, 'latest')).toBe(WORD)
})

test('an open block with transactions is sealed before the change', async () => {
  node = await startRpcNode({ development: true })
  const hash = await node.result('eth_sendTransaction', { to: ACCOUNT, value: '0x1' })
  await node.nextFlashblock()

  await node.result('anvil_addBalance', ACCOUNT, '0x2')

  expect(await node.result('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x1' })
  expect(await node.result('eth_blockNumber')).toBe('0x1')
  expect(await node.result('eth_getBalance', ACCOUNT, '0x1')).toBe('0x3')
})

test('a transaction spends a balance that was set', async () => {
  await start()
  await node.result('anvil_setBalance', ACCOUNT, '0xde0b6b3a7640000')
  await node.result('anvil_impersonateAccount', ACCOUNT)

  const hash = await node.result('eth_sendTransaction', { from: ACCOUNT, to: ACCOUNT, value: '0x1' })

  expect(await node.result('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1', from: ACCOUNT })
})

test('anvil_setChainId refuses another chain id and says what to do', async () => {
  await start()
  expect(await node.result('anvil_setChainId', 31_337)).toBe(null)
  expect((await node.request('anvil_setChainId', 777)).error).toEqual({
    code: -32602,
    message: 'the chain id is part of block 0 and cannot change: start a node with --chain-id 777',
  })
})

describe('errors', () => {
  test.each([
    ['anvil_setBalance', ['0x1234', '0x0'], -32602, /invalid argument 0/],
    ['anvil_setBalance', [ACCOUNT, -1], -32602, /invalid argument 1/],
    ['hardhat_setBalance', [ACCOUNT, 5], -32602, /invalid argument 1/],
    ['anvil_setStorageAt', [ACCOUNT, '0x0', '0x01'], -32602, /invalid string length/],
    ['hardhat_setStorageAt', [ACCOUNT, 0, WORD], -32602, /invalid argument 1/],
    [
      'hardhat_setStorageAt',
      [ACCOUNT, '0x0', '0xff'],
      -32000,
      /exactly 32 bytes long. Received 0xff, which is 1 bytes/,
    ],
    [
      'hardhat_setStorageAt',
      [ACCOUNT, `0x1${'00'.repeat(32)}`, WORD],
      -32000,
      /not be greater than or equal to 2\^256/,
    ],
    [
      'hardhat_setStorageAt',
      [ACCOUNT, `0x${'00'.repeat(99)}01${'00'.repeat(32)}`, WORD],
      -32000,
      /not be greater than or equal to 2\^256/,
    ],
  ])('%s %j is refused', async (method, params, code, message) => {
    await start()
    const before = node.node.view().head.sequence

    const { error } = await node.request(method, ...params)

    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(node.node.view().head.sequence).toBe(before)
  })

  test('hardhat_setNonce refuses a lower nonce, and any while transactions wait', async () => {
    node = await startRpcNode({ development: true })
    await node.result('hardhat_setNonce', ACCOUNT, '0x5')
    expect((await node.request('hardhat_setNonce', ACCOUNT, '0x1')).error).toMatchObject({
      code: -32000,
      message: 'New nonce (1) must not be smaller than the existing nonce (5)',
    })
    await node.result('eth_sendTransaction', { to: ACCOUNT })
    expect((await node.request('hardhat_setNonce', ACCOUNT, '0x6')).error).toMatchObject({
      code: -32603,
      message: 'Cannot set account nonce when the transaction pool is not empty',
    })
    expect(await node.result('anvil_setNonce', ACCOUNT, '0x1')).toBe(null)
  })
})

describe('tokens', () => {
  /** Returns the word at keccak256(argument . 0), as a Solidity mapping in slot 0. */
  const TOKEN_RUNTIME = '0x6004355f525f60205260405f20545f5260205ff3'
  const TOKEN = `0x${'00'.repeat(19)}cc`
  const balanceOf = { to: TOKEN, data: `0x70a08231${ACCOUNT.slice(2).padStart(64, '0')}` }

  test('anvil_dealERC20 sets the balance that balanceOf returns', async () => {
    await start()
    await node.result('anvil_setCode', TOKEN, TOKEN_RUNTIME)

    expect(await node.result('anvil_dealERC20', ACCOUNT, TOKEN, '0x2a')).toBe(null)

    expect(await node.result('eth_call', balanceOf, 'latest')).toBe(WORD)
  })

  test('anvil_dealERC20 refuses a contract whose balance is in no slot', async () => {
    await start()
    await node.result('anvil_setCode', TOKEN, '0x60015f5260205ff3')
    expect((await node.request('anvil_dealERC20', ACCOUNT, TOKEN, '0x1')).error).toEqual({
      code: -32603,
      message: 'Unable to set ERC20 balance, no slot found',
    })
  })

  test('anvil_setERC20Allowance sets what allowance returns', async () => {
    await start()
    await node.result('anvil_setCode', TOKEN, TOKEN_RUNTIME)

    await node.result('anvil_setERC20Allowance', ACCOUNT, TOKEN, TOKEN, 42)

    const arguments_ = `${ACCOUNT.slice(2).padStart(64, '0')}${TOKEN.slice(2).padStart(64, '0')}`
    expect(await node.result('eth_call', { to: TOKEN, data: `0xdd62ed3e${arguments_}` }, 'latest')).toBe(WORD)
  })
})
