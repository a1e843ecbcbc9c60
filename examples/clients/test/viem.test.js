import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useNode } from '@tickertape/node/node-test'
import { nodeTransport } from '@tickertape/node/viem'
import { createPublicClient, createTestClient, createWalletClient, parseEther, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const RECIPIENT = '0x00000000000000000000000000000000000000aa'
const node = useNode({ mining: 'auto' })

/** Clients of the node of a test. */
function clients() {
  const options = { chain: foundry, transport: nodeTransport(node()), pollingInterval: 100 }
  const account = privateKeyToAccount(node().accounts[0].privateKey)
  return {
    publicClient: createPublicClient(options),
    walletClient: createWalletClient({ ...options, account }),
    testClient: createTestClient({ ...options, mode: 'anvil' }).extend(publicActions),
  }
}

test('a wallet client sends a transaction, and a public client reads its receipt', async () => {
  const { publicClient, walletClient } = clients()

  const hash = await walletClient.sendTransaction({ to: RECIPIENT, value: parseEther('1') })
  const { status, blockNumber } = await publicClient.waitForTransactionReceipt({ hash })

  assert.equal(status, 'success')
  assert.equal(blockNumber, 1n)
  assert.equal(await publicClient.getBalance({ address: RECIPIENT }), parseEther('1'))
})

test('a public client is notified of blocks', async () => {
  const { publicClient, testClient } = clients()
  const start = await publicClient.getBlockNumber()

  const seen = new Promise((resolve, reject) => {
    const unwatch = publicClient.watchBlockNumber({
      onBlockNumber: (number) => {
        if (number < start + 2n) return
        unwatch()
        resolve(number)
      },
      onError: reject,
    })
  })
  await testClient.mine({ blocks: 2 })

  assert.equal(await seen, start + 2n)
})

test('a transaction that the sender cannot pay is refused', async () => {
  const { walletClient } = clients()
  const request = walletClient.sendTransaction({ to: RECIPIENT, value: parseEther('1000000') })

  await assert.rejects(request, { name: 'TransactionExecutionError' })
})

test('a test client changes state and time', async () => {
  const { testClient } = clients()

  await testClient.setBalance({ address: RECIPIENT, value: 7n })
  await testClient.setNextBlockTimestamp({ timestamp: 4_000_000_000n })
  await testClient.mine({ blocks: 1 })

  assert.equal(await testClient.getBalance({ address: RECIPIENT }), 7n)
  assert.equal((await testClient.getBlock()).timestamp, 4_000_000_000n)
})
