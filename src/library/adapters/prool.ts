import { createNode, type TickertapeNode } from '../create-node.ts'
import type { NodeOptions } from '../node-options.ts'

/** Where prool starts an instance. */
interface StartOptions {
  readonly port?: number | undefined
}

/**
 * A definition for `Instance.define` of prool (`defineInstance` before 0.1): its server runs a node per path, in its
 * own process.
 *
 * @example
 * import { Instance, Server } from 'prool'
 * const server = Server.create({ instance: Instance.define(tickertape)({ mining: 'auto' }) })
 * await server.start()
 */
export function tickertape(options: NodeOptions = {}) {
  const host = '127.0.0.1'
  let node: TickertapeNode | undefined
  return {
    _internal: {},
    name: 'tickertape',
    host,
    port: 8545,
    async start({ port = 8545 }: StartOptions): Promise<void> {
      node = await createNode(options)
      try {
        await node.listen({ host, port })
      } catch (error) {
        await node.close()
        throw error
      }
    },
    async stop(): Promise<void> {
      await node?.close()
      node = undefined
    },
  }
}
