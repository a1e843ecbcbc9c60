import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'
import type { SignedTransaction } from '../../../chain/transaction/transaction.ts'
import { decodeTransaction, recoverTransaction } from '../../../chain/transaction/transaction-codec.ts'
import { hexToBytes } from '../../../primitives/hex.ts'

const [{ address: sender }, { address: other }] = DEVELOPMENT_ACCOUNTS as [
  (typeof DEVELOPMENT_ACCOUNTS)[0],
  (typeof DEVELOPMENT_ACCOUNTS)[0],
]
const STRANGER = `0x${'00'.repeat(19)}aa`
/** Init code that reverts. */
const REVERTING = '0x5f5ffd'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode({ development: true })
})
async function receiptOf(hash: unknown) {
  await node.nextBlock()
  return node.result('eth_getTransactionReceipt', hash)
}

test('eth_sendTransaction signs with the key of the sender and fills in the rest', async () => {
  const hash = await node.result('eth_sendTransaction', { from: sender, to: other, value: '0x5' })

  const receipt = await receiptOf(hash)
  expect(receipt).toMatchObject({ from: sender, to: other, status: '0x1', gasUsed: '0x5208', type: '0x2' })
  const raw = String(await node.result('eth_getRawTransactionByHash', hash))
  expect(recoverTransaction(decodeTransaction(hexToBytes(raw)) as SignedTransaction).from).toBe(sender)
})

test('eth_sendTransaction sends from the first account when no sender is given', async () => {
  expect(await receiptOf(await node.result('eth_sendTransaction', { to: other }))).toMatchObject({ from: sender })
})

test('concurrent sends of one account get consecutive nonces', async () => {
  const sends = Array.from({ length: 20 }, (_, value) =>
    node.result('eth_sendTransaction', { from: sender, to: other, value: `0x${value.toString(16)}` }),
  )

  const hashes = await Promise.all(sends)

  await node.nextBlock()
  const nonces = await Promise.all(hashes.map((hash) => node.result('eth_getTransactionByHash', hash)))
  expect(nonces.map(({ nonce }) => Number(nonce)).sort((a, b) => a - b)).toEqual(hashes.map((_, index) => index))
})

test('a send that is refused does not use a nonce', async () => {
  const refused = node.request('eth_sendTransaction', { from: sender, to: other, gas: '0x1' })
  const accepted = node.result('eth_sendTransaction', { from: sender, to: other })

  expect((await refused).error).toMatchObject({ message: expect.stringContaining('intrinsic gas too low') })
  expect(await receiptOf(await accepted)).toMatchObject({ status: '0x1' })
})

test.each([
  [{ gasPrice: '0x3b9aca00' }, '0x0'],
  [{ gasPrice: '0x3b9aca00', accessList: [] }, '0x1'],
  [{ accessList: [] }, '0x2'],
])('the members %j make a transaction of type %s', async (members, type) => {
  const hash = await node.result('eth_sendTransaction', { from: sender, to: other, ...members })

  expect(await node.result('eth_getTransactionByHash', hash)).toMatchObject({ type })
})

test('rejects an account without a key that is not impersonated', async () => {
  const request = { from: STRANGER, to: other }
  expect((await node.request('eth_sendTransaction', request)).error).toEqual({
    code: -32000,
    message: 'unknown account',
  })
})

test('rejects a request for another chain, and a creation without code', async () => {
  const wrong = await node.request('eth_sendTransaction', { from: sender, to: other, chainId: '0x5' })
  expect(wrong.error?.message).toBe("chainId does not match node's (have=5, want=31337)")
  const empty = await node.request('eth_sendTransaction', { from: sender })
  expect(empty.error?.message).toBe('contract creation without any data provided')
})

test('eth_sendTransactionSync returns the receipt', async () => {
  const receipt = await node.passing(node.result('eth_sendTransactionSync', { from: sender, to: other }))

  expect(receipt).toMatchObject({ from: sender, status: '0x1' })
})

test('a transaction whose estimate reverts is refused as by go-ethereum, and mined as by Anvil', async () => {
  const request = { from: sender, data: REVERTING }
  expect((await node.request('eth_sendTransaction', request)).error).toMatchObject({ code: 3, data: '0x' })
  await node.stop()

  node = await startRpcNode({ development: true, compat: 'anvil' })
  expect(await receiptOf(await node.result('eth_sendTransaction', request))).toMatchObject({ status: '0x0' })
})

test('an impersonated account sends without a key, and r and s are its address', async () => {
  await node.result('eth_sendTransaction', { from: sender, to: STRANGER, value: '0xde0b6b3a7640000' })
  await node.nextBlock()
  await node.request('anvil_impersonateAccount', STRANGER)

  const hash = await node.result('eth_sendTransaction', { from: STRANGER, to: other, value: '0x1' })

  expect(await receiptOf(hash)).toMatchObject({ from: STRANGER, status: '0x1' })
  expect(await node.result('eth_getTransactionByHash', hash)).toMatchObject({ from: STRANGER, r: '0xaa', s: '0xaa' })
  await node.request('anvil_stopImpersonatingAccount', STRANGER)
  expect((await node.request('eth_sendTransaction', { from: STRANGER, to: other })).error).toBeDefined()
})

test('a contract can be impersonated', async () => {
  // Runtime code of one STOP, which accepts ether.
  const deployed = await node.result('eth_sendTransaction', {
    from: sender,
    data: '0x60015ff3',
    value: '0xde0b6b3a7640000',
  })
  const { contractAddress } = await receiptOf(deployed)
  expect(await node.result('eth_getCode', contractAddress, 'latest')).toBe('0x00')
  await node.request('hardhat_impersonateAccount', contractAddress)

  const hash = await node.result('eth_sendTransaction', { from: contractAddress, to: other, value: '0x1' })

  expect(await receiptOf(hash)).toMatchObject({ from: contractAddress, status: '0x1' })
})

test('with automatic impersonation, and with eth_sendUnsignedTransaction, every address sends', async () => {
  await node.result('eth_sendTransaction', { from: sender, to: STRANGER, value: '0xde0b6b3a7640000' })
  await node.nextBlock()

  const unsigned = await node.result('eth_sendUnsignedTransaction', { from: STRANGER, to: other })
  expect(await receiptOf(unsigned)).toMatchObject({ from: STRANGER, status: '0x1' })

  await node.request('anvil_autoImpersonateAccount', true)
  const sent = await node.result('eth_sendTransaction', { from: STRANGER, to: other })
  expect(await receiptOf(sent)).toMatchObject({ from: STRANGER, status: '0x1' })
  expect(await node.result('eth_accounts')).not.toContain(STRANGER)
})

test('an impersonated account without funds is refused like any other', async () => {
  await node.request('anvil_impersonateAccount', STRANGER)

  expect((await node.request('eth_sendTransaction', { from: STRANGER, to: other })).error).toMatchObject({
    message: expect.stringContaining('insufficient funds'),
  })
})

test('raw bytes of an impersonated transaction are refused: only the node itself may send them', async () => {
  await node.result('eth_sendTransaction', { from: sender, to: STRANGER, value: '0xde0b6b3a7640000' })
  await node.nextBlock()
  await node.request('anvil_impersonateAccount', STRANGER)
  const hash = await node.result('eth_sendTransaction', { from: STRANGER, to: other })
  const raw = await node.result('eth_getRawTransactionByHash', hash)
  await node.result('debug_setHead', '0x0')

  expect((await node.request('eth_sendRawTransaction', raw)).error).toMatchObject({
    code: -32000,
    message: 'invalid sender: invalid transaction v, r, s values',
  })
})
