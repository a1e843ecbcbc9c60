import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { createNode, startReports, writeReports } from '@tickertape/node'

let node
let provider
before(async () => {
  node = await createNode({ mining: 'auto', compat: 'hardhat' })
  process.env.NODE_URL = (await node.listen()).url
  // Hardhat reads its configuration when it is loaded.
  const { network } = await import('hardhat')
  provider = (await network.create('tickertape')).provider
  await startReports(node)
})
after(async () => {
  // The gas and the coverage of all tests, also of those that return to a snapshot.
  const files = { artifacts: 'artifacts', gasReport: 'gas-report.txt', lcov: 'lcov.info' }
  const { gasReport, linePercentage } = await writeReports(node, files)
  await node.close()
  assert.match(gasReport, /withdraw\(\) +1 +1 /)
  assert.equal(linePercentage, 100)
})

/** Sends a transaction and returns its receipt. */
async function send(transaction) {
  const [from] = await provider.request({ method: 'eth_accounts' })
  const params = [{ from, gas: '0x2dc6c0', ...transaction }]
  const hash = await provider.request({ method: 'eth_sendTransaction', params })
  return provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
}

test('a vault pays its owner after the unlock time', async () => {
  const { bytecode } = JSON.parse(await readFile('artifacts/contracts/Vault.sol/Vault.json', 'utf8'))
  const id = await provider.request({ method: 'evm_snapshot' })
  const { timestamp } = await provider.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
  const unlockTime = (BigInt(timestamp) + 1_000n).toString(16).padStart(64, '0')
  const { contractAddress: to } = await send({ data: `${bytecode}${unlockTime}` })
  await send({ to, value: '0x5' })
  const withdraw = '0x3ccfd60b'

  // Hardhat reports a transaction that would fail: the node includes it all the same.
  await assert.rejects(send({ to, data: withdraw }))
  await provider.request({ method: 'evm_increaseTime', params: ['0x3e8'] })

  assert.equal((await send({ to, data: withdraw })).status, '0x1')
  assert.equal(await provider.request({ method: 'eth_getBalance', params: [to, 'latest'] }), '0x0')
  assert.equal(await provider.request({ method: 'evm_revert', params: [id] }), true)
})

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
