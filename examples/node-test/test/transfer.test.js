import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useNode } from '@tickertape/node/node-test'
import { BrowserProvider, parseEther, Wallet } from 'ethers'

const RECIPIENT = '0x00000000000000000000000000000000000000aa'

/** ethers keeps replies for 250 ms by default, in which a test would see the state before its transaction. */
function providerOf(node) {
  return new BrowserProvider(node, undefined, { cacheTimeout: -1, pollingInterval: 20 })
}

describe('a shared node', () => {
  const node = useNode({ mining: 'auto' })

  test('takes transactions that ethers has signed', async () => {
    const provider = providerOf(node())
    const wallet = new Wallet(node().accounts[0].privateKey, provider)

    const sent = await wallet.sendTransaction({ to: RECIPIENT, value: parseEther('1') })
    const receipt = await sent.wait()

    assert.equal(receipt.status, 1)
    assert.equal(await provider.getBalance(RECIPIENT), parseEther('1'))
    provider.destroy()
  })

  test('has returned to the state before', async () => {
    const provider = providerOf(node())

    assert.equal(await provider.getBlockNumber(), 0)
    assert.equal(await provider.getBalance(RECIPIENT), 0n)
    provider.destroy()
  })

  test('signs for its own accounts', async () => {
    const provider = providerOf(node())
    const signer = await provider.getSigner(1)

    const sent = await signer.sendTransaction({ to: RECIPIENT, value: 5n })
    await sent.wait()

    assert.equal(await provider.getBalance(RECIPIENT), 5n)
    provider.destroy()
  })
})

describe('a fresh node for each test', () => {
  const node = useNode({ chainId: 7, fresh: true })
  const seen = new Set()

  for (const name of ['the first test', 'the second test']) {
    test(name, async () => {
      seen.add(node())
      assert.equal(await node().request({ method: 'eth_chainId' }), '0x7')
    })
  }

  test('the third test', () => {
    seen.add(node())
    assert.equal(seen.size, 3)
  })
})
