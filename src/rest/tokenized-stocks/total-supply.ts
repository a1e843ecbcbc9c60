import { LATEST } from '../../node/block-reference.ts'
import type { NodeService } from '../../node/node-service.ts'
import { toAddress } from '../../primitives/hex.ts'
import { nearestDouble } from '../decimal.ts'
import { StatusError } from '../status.ts'
import { readTokenSupply } from './token-reads.ts'

/** Contract: the path parameter's pattern. */
const ADDRESS = /^0x[a-fA-F0-9]{40}$/

/**
 * Total supply in token units (not shares), at the newest sealed block: the double nearest to supply / 10^decimals.
 *
 * @throws StatusError invalidArgument for what is no address, notFound for what is no token
 */
export async function totalSupply(node: NodeService, contractAddress: string): Promise<number> {
  if (!ADDRESS.test(contractAddress)) {
    throw new StatusError('invalidArgument', 'contract_address must match ^0x[a-fA-F0-9]{40}$: 20 bytes in hex')
  }
  const view = node.view()
  view.retain()
  const supply = await readTokenSupply(node, view, view.block(LATEST)!, toAddress(contractAddress)).finally(() =>
    view.release(),
  )
  if (supply === undefined) {
    throw new StatusError('notFound', `no token at ${contractAddress}: no code, or it lacks totalSupply or decimals`)
  }
  return nearestDouble(supply.totalSupply, supply.decimals)
}
