import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { nodeProvider } from '@tickertape/node/ethers'
import { useNode } from '@tickertape/node/node-test'
import { parseEther, Wallet } from 'ethers'

const RECIPIENT = '0x00000000000000000000000000000000000000aa'
const node = useNode({ mining: 'auto' })

/** A provider of the node of a test. It looks for blocks until it is destroyed. */
function providerFor(context) {
  const provider = nodeProvider(node())
  context.after(() => provider.destroy())
  return provider
}

test('a wallet sends a transaction, and the provider shows it at once', async (context) => {
  const provider = providerFor(context)
  const wallet = new Wallet(node().accounts[0].privateKey, provider)

  const sent = await wallet.sendTransaction({ to: RECIPIENT, value: parseEther('1') })
  const receipt = await sent.wait()

  assert.equal(receipt.status, 1)
  assert.equal(await provider.getBalance(RECIPIENT), parseEther('1'))
})

test('the node signs for its own accounts', async (context) => {
  const provider = providerFor(context)
  const signer = await provider.getSigner(1)

  await (await signer.sendTransaction({ to: RECIPIENT, value: 5n })).wait()

  assert.equal(await provider.getBalance(RECIPIENT), 5n)
})

test('the provider emits each block', async (context) => {
  const provider = providerFor(context)
  const seen = []
  await provider.on('block', (number) => seen.push(number))

  // ethers begins with the first block after its own first look.
  while (seen.length < 3) {
    await node().mine()
    await setTimeout(20)
  }

  const [first] = seen
  assert.deepEqual(seen.slice(0, 3), [first, first + 1, first + 2])
})
