import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { checksumAddress } from '../../primitives/checksum-address.ts'
import { bytesToHex } from '../../primitives/hex.ts'

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode()
})
test('describes each transaction in a line of text', async () => {
  const [sender, , , , , , , , , receiver] = DEVELOPMENT_ACCOUNTS.map(({ address }) => checksumAddress(address))
  const creation = { nonce: 1n, to: null, value: 0n, data: new Uint8Array(0), gasLimit: 60_000n }
  for (const transaction of [signTransfer({ nonce: 0n, value: 5n }), signTransfer(creation)]) {
    await node.result('eth_sendRawTransaction', bytesToHex(transaction.raw))
  }
  expect(await node.result('txpool_inspect')).toEqual({
    pending: {
      [sender!]: {
        0: `${receiver}: 5 wei + 21000 gas × 10000000000 wei`,
        1: 'contract creation: 0 wei + 60000 gas × 10000000000 wei',
      },
    },
    queued: {},
  })
})
