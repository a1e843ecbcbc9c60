import { type CustomTransport, custom } from 'viem'
import type { Provider } from '../provider.ts'

/**
 * A viem transport to a node of this process. viem is that of the project.
 *
 * Requests that fail are not repeated: viem repeats those of other EIP-1193 providers three times, but a node in the
 * process gives the same answer.
 *
 * @example createPublicClient({ chain: foundry, transport: nodeTransport(await createNode({ mining: 'auto' })) })
 */
export function nodeTransport(node: Pick<Provider, 'request'>): CustomTransport {
  return custom(node, { key: 'tickertape', name: 'Tickertape', retryCount: 0 })
}
