import { BrowserProvider } from 'ethers'
import type { Provider } from '../provider.ts'

/**
 * An ethers provider on a node of this process; its signers are the accounts of the node. ethers is that of the
 * project.
 *
 * Responses are not cached: ethers would show the state of up to 250 ms ago. New blocks are looked for every 100 ms:
 * `wait()` of a transaction would take up to 4 s.
 *
 * @example const signer = await nodeProvider(await createNode({ mining: 'auto' })).getSigner()
 */
export function nodeProvider(node: Pick<Provider, 'request'>): BrowserProvider {
  const request = ({ method, params }: { method: string; params?: readonly unknown[] | Record<string, unknown> }) =>
    node.request({ method, params })
  return new BrowserProvider({ request }, undefined, { cacheTimeout: -1, pollingInterval: 100 })
}
