import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createNode } from '@tickertape/node'

let node
let provider
before(async () => {
  node = await createNode({ mining: 'auto', compat: 'hardhat' })
  process.env.NODE_URL = (await node.listen()).url
  // Hardhat reads its configuration when it is loaded.
  const { network } = await import('hardhat')
  provider = (await network.create('tickertape')).provider
})
after(() => node.close())

test('Hardhat sends transactions of the accounts of the node', async () => {
  const [from, to] = await provider.request({ method: 'eth_accounts' })

  const hash = await provider.request({ method: 'eth_sendTransaction', params: [{ from, to, value: '0x1' }] })

  const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  assert.equal(receipt.status, '0x1')
  assert.equal(receipt.from, from)
})

test("Hardhat's methods change the node", async () => {
  const stranger = '0x00000000000000000000000000000000000000aa'
  const id = await provider.request({ method: 'evm_snapshot' })

  await provider.request({ method: 'hardhat_setBalance', params: [stranger, '0x5'] })
  await provider.request({ method: 'hardhat_mine', params: ['0x3'] })

  assert.equal(await provider.request({ method: 'eth_getBalance', params: [stranger, 'latest'] }), '0x5')
  assert.equal(await provider.request({ method: 'evm_revert', params: [id] }), true)
  assert.equal(await provider.request({ method: 'eth_getBalance', params: [stranger, 'latest'] }), '0x0')
})
