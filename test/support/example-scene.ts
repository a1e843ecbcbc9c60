import { bytesToHex } from '../../src/primitives/hex.ts'
import type { RpcOptions } from '../../src/rpc/context/options.ts'
import { deployEmitter, signEmission, topicOf } from './log-emitter.ts'
import { type RpcNode, startRpcNode } from './rpc-node.ts'
import { signTransfer } from './transfers.ts'

/**
 * The chain that the examples of the methods are of: block 1 deploys a contract, the open block 2 has a transaction
 * that calls it, in its first flashblock of two; another sender's transaction waits behind a nonce gap.
 */
export async function startExampleNode(
  options: Partial<RpcOptions> = {},
  nodeOptions: Parameters<typeof startRpcNode>[1] = {},
): Promise<RpcNode> {
  const node = await startRpcNode(options, nodeOptions)
  await deployEmitter(node)
  await node.result('eth_sendRawTransaction', signEmission(1n, topicOf(42)).raw)
  await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ from: 1, nonce: 5n }).raw))
  await node.nextFlashblock()
  await node.nextFlashblock()
  return node
}
