import { createPublicClient, createWalletClient } from 'viem'
import { foundry } from 'viem/chains'
import { expect, onTestFinished, test } from 'vitest'
import { createNode, type TickertapeNode } from '../create-node.ts'
import { nodeProvider } from './ethers.ts'
import { nodeTransport } from './viem.ts'

const STRANGER = '0x00000000000000000000000000000000000000aa'
/** Reverts without a reason. */
const REVERTING = '0x5f5ffd'

async function start(mining: 'auto' | 'manual' = 'auto'): Promise<TickertapeNode> {
  const node = await createNode({ mining })
  onTestFinished(() => node.close())
  return node
}

/** A node that counts its requests. */
function counting(node: TickertapeNode) {
  const counted = { methods: [] as string[], request: node.request.bind(node) as TickertapeNode['request'] }
  const { request } = counted
  counted.request = ((args: Parameters<typeof request>[0]) => {
    counted.methods.push(args.method)
    return request(args)
  }) as typeof request
  return counted
}

test('a viem client sends and reads through the transport', async () => {
  const node = await start()
  const transport = nodeTransport(node)
  const wallet = createWalletClient({ chain: foundry, transport })
  const client = createPublicClient({ chain: foundry, transport })
  const [account] = await wallet.getAddresses()

  const hash = await wallet.sendTransaction({ account: account!, to: STRANGER, value: 5n })

  expect(await client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
  expect(await client.getBalance({ address: STRANGER })).toBe(5n)
})

test('viem does not repeat a request that fails', async () => {
  const node = counting(await start())
  const client = createPublicClient({ chain: foundry, transport: nodeTransport(node) })
  await node.request({ method: 'anvil_setCode', params: [STRANGER, REVERTING] })

  await expect(client.call({ to: STRANGER })).rejects.toThrow(/revert/)

  expect(node.methods.filter((method) => method === 'eth_call')).toHaveLength(1)
})

test('an ethers provider signs with the accounts of the node and shows its newest state', async () => {
  const provider = nodeProvider(await start())
  const signer = await provider.getSigner()

  for (const expected of [1n, 2n, 3n]) {
    await signer.sendTransaction({ to: STRANGER, value: 1n })
    expect(await provider.getBalance(STRANGER)).toBe(expected)
  }
})

test('wait() of an ethers transaction resolves within a second of its block', async () => {
  const node = await start('manual')
  const counted = counting(node)
  const signer = await nodeProvider(counted).getSigner()
  const sent = await signer.sendTransaction({ to: STRANGER, value: 1n })
  counted.methods.length = 0
  const waiting = sent.wait()
  // The first request looks for a replacement, the second one begins to poll.
  await expect.poll(() => counted.methods.filter((method) => method === 'eth_blockNumber').length).toBeGreaterThan(1)
  await node.mine()
  const minedAt = performance.now()

  expect(await waiting).toMatchObject({ status: 1 })
  expect(performance.now() - minedAt).toBeLessThan(1_000)
})
