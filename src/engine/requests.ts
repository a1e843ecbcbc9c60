import { createHash } from 'node:crypto'
import type { ChainConfig } from '../chain/chain-config.ts'
import { CONSOLIDATION_REQUESTS_ADDRESS, WITHDRAWAL_REQUESTS_ADDRESS } from '../chain/constants.ts'
import { isActive } from '../chain/forks.ts'
import type { Log } from '../chain/log.ts'
import type { Receipt } from '../chain/receipt.ts'
import { type Address, type Bytes, bytesToHash, EMPTY_BYTES, type Hash } from '../primitives/hex.ts'
import type { BlockEnv, Session } from './types.ts'

/** EIP-6110 */
const DEPOSIT_REQUEST_TYPE = 0
const DEPOSIT_EVENT = '0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5' as Hash
const DEPOSIT_EVENT_BYTES = 576
/** Where the data of the event has public key, withdrawal credentials, amount, signature and index. */
const DEPOSIT_FIELDS = [
  [192, 240],
  [288, 320],
  [352, 360],
  [416, 512],
  [544, 552],
] as const

/** Request type and the contract that has the queue (EIP-7002, EIP-7251). */
const QUEUES = [
  { type: 1, address: WITHDRAWAL_REQUESTS_ADDRESS },
  { type: 2, address: CONSOLIDATION_REQUESTS_ADDRESS },
] as const

/**
 * Empties the request queues at the end of a block and gives the commitment to what was in them, and to the deposits that
 * the block's receipts tell of (EIP-7685).
 *
 * @returns undefined where there are none: before Prague, and on layer 2, whose header keeps the hash of nothing
 */
export async function requestsHash(
  session: Session,
  env: BlockEnv,
  config: ChainConfig,
  receipts: readonly Pick<Receipt, 'logs'>[],
): Promise<Hash | undefined> {
  if (config.layer2 || !isActive(env.fork, 'prague')) return undefined
  const total = createHash('sha256')
  const add = (type: number, data: Bytes) => {
    if (data.length > 0) total.update(createHash('sha256').update(Uint8Array.of(type)).update(data).digest())
  }
  const logs = receipts.flatMap((receipt) => receipt.logs)
  add(DEPOSIT_REQUEST_TYPE, Buffer.concat(logs.filter((log) => isDeposit(log, config)).flatMap(depositFields)))
  for (const { type, address } of QUEUES) {
    const result = await session.systemCall(address, EMPTY_BYTES)
    add(type, result.kind === 'executed' ? result.output : EMPTY_BYTES)
  }
  return bytesToHash(total.digest())
}

function isDeposit({ address, topics, data }: Log, { depositContractAddress }: { depositContractAddress?: Address }) {
  return address === depositContractAddress && topics[0] === DEPOSIT_EVENT && data.length === DEPOSIT_EVENT_BYTES
}

function depositFields({ data }: Log): readonly Bytes[] {
  return DEPOSIT_FIELDS.map(([start, end]) => data.subarray(start, end))
}
