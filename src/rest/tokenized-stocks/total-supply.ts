import { toAddress } from '../../primitives/hex.ts'
import { nearestDouble } from '../decimal.ts'
import { StatusError } from '../status.ts'
import type { TokenReads } from './token-reads.ts'

/** Contract: the path parameter's pattern. */
const ADDRESS = /^0x[a-fA-F0-9]{40}$/

/**
 * Total supply in token units (not shares), at the newest sealed block: the double nearest to supply / 10^decimals.
 *
 * @throws StatusError invalidArgument for what is no address, notFound for what is no token
 */
export async function totalSupply(reads: TokenReads, contractAddress: string): Promise<number> {
  if (!ADDRESS.test(contractAddress)) {
    throw new StatusError('invalidArgument', 'contract_address must match ^0x[a-fA-F0-9]{40}$: 20 bytes in hex')
  }
  const supply = await reads.supply(toAddress(contractAddress))
  if (supply === undefined) {
    throw new StatusError('notFound', `no token at ${contractAddress}: no code, or it lacks totalSupply or decimals`)
  }
  return nearestDouble(supply.totalSupply, supply.decimals)
}
