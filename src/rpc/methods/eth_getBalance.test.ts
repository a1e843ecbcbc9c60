import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
async function send(): Promise<string> {
  const { hash, raw } = signTransfer({ nonce: 0n, value: 5n })
  await node.result('eth_sendRawTransaction', bytesToHex(raw))
  return hash
}

test('includes the newest flashblock at pending and excludes it at latest', async () => {
  const receiver = DEVELOPMENT_ACCOUNTS[9]!.address
  const before = BigInt(String(await node.result('eth_getBalance', receiver)))
  await send()
  await node.nextFlashblock()
  expect(BigInt(String(await node.result('eth_getBalance', receiver, 'pending')))).toBe(before + 5n)
  expect(BigInt(String(await node.result('eth_getBalance', receiver, 'latest')))).toBe(before)
  expect(await node.result('eth_getBalance', `0x${'99'.repeat(20)}`, '0x0')).toBe('0x0')
})
