import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../primitives/hex.ts'

const [SENDER, RECIPIENT] = [DEVELOPMENT_ACCOUNTS[0]!.address, DEVELOPMENT_ACCOUNTS[9]!.address]
let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})

/** Block 1 with three transfers. */
async function threeTransfers(): Promise<void> {
  for (const nonce of [0n, 1n, 2n]) await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce }).raw))
  await node.nextBlock()
}

const infoAt = (...params: unknown[]) => node.result('debug_accountInfoAt', ...params)

test('debug_accountInfoAt gives an account after each transaction of a block, by number and by hash', async () => {
  await threeTransfers()
  const { hash } = await node.result('eth_getBlockByNumber', '0x1', false)
  for (const [index, nonce] of [
    ['0x0', '0x1'],
    ['0x1', '0x2'],
    ['0x2', '0x3'],
  ]) {
    expect(await infoAt('0x1', index, SENDER)).toMatchObject({ nonce, code: '0x' })
    expect(await infoAt(hash, index, SENDER)).toEqual(await infoAt('0x1', index, SENDER))
  }
  const after = await node.result('eth_getAccountInfo', RECIPIENT, '0x1')
  expect(await infoAt('0x1', '0x2', RECIPIENT)).toEqual(after)
})

test('debug_accountInfoAt gives null for an unknown block or position, and empty members for an absent account', async () => {
  await threeTransfers()
  const absent = `0x${'99'.repeat(20)}`

  expect(await infoAt('0x99', '0x0', SENDER)).toBeNull()
  expect(await infoAt('0x1', '0x3', SENDER)).toBeNull()
  expect(await infoAt('0x0', '0x0', SENDER)).toBeNull()
  expect(await infoAt('0x1', '0x0', absent)).toEqual({ balance: '0x0', nonce: '0x0', code: '0x' })
})

test('debug_accountInfoAt sees the open block so far', async () => {
  await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 0n }).raw))
  await node.nextFlashblock()

  expect(await infoAt('pending', '0x0', SENDER)).toMatchObject({ nonce: '0x1' })
})
