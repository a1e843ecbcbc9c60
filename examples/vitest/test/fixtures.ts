import { type NodeFixtures, nodeFixtures } from '@tickertape/node/vitest'
import { createTestClient, custom, publicActions, walletActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { test as base } from 'vitest'

function clientOf(node: NodeFixtures['node']) {
  // viem would repeat a failed request of any EIP-1193 provider three times; one of this process needs no retries.
  const transport = custom(node, { retryCount: 0 })
  const account = privateKeyToAccount(node.accounts[0]!.privateKey)
  return createTestClient({ account, chain: foundry, mode: 'anvil', transport, pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions)
}

/** Tests with a node, and with a viem client of its first account. */
export const test = base
  .extend<NodeFixtures>(nodeFixtures({ mining: 'auto', compat: 'anvil' }))
  .extend<{ client: ReturnType<typeof clientOf> }>({
    client: async ({ node }, use) => {
      await use(clientOf(node))
    },
  })
