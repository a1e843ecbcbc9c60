import { createHash } from 'node:crypto'
import type { ChainConfig } from '../../chain/chain-config.ts'
import { CONSOLIDATION_REQUESTS_ADDRESS, WITHDRAWAL_REQUESTS_ADDRESS } from '../../chain/constants.ts'
import { isActive } from '../../chain/forks.ts'
import { type Bytes, bytesToHash, EMPTY_BYTES, type Hash } from '../../primitives/hex.ts'
import type { BlockEnv, Session } from '../types.ts'

/** Request type and the contract that has the queue (EIP-7002, EIP-7251). */
const QUEUES = [
  { type: 1, address: WITHDRAWAL_REQUESTS_ADDRESS },
  { type: 2, address: CONSOLIDATION_REQUESTS_ADDRESS },
] as const

/**
 * Empties the request queues at the end of a block and gives the commitment to what was in them (EIP-7685).
 *
 * @returns undefined where there are none: before Prague, and on layer 2, whose header keeps the hash of nothing
 */
export async function requestsHash(session: Session, env: BlockEnv, config: ChainConfig): Promise<Hash | undefined> {
  if (config.layer2 || !isActive(env.fork, 'prague')) return undefined
  const total = createHash('sha256')
  for (const { type, address } of QUEUES) {
    const result = await session.systemCall(address, EMPTY_BYTES)
    const data: Bytes = result.kind === 'executed' ? result.output : EMPTY_BYTES
    if (data.length > 0) total.update(createHash('sha256').update(Uint8Array.of(type)).update(data).digest())
  }
  return bytesToHash(total.digest())
}
