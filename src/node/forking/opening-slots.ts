import { BEACON_ROOTS_ADDRESS, HISTORY_STORAGE_ADDRESS, SYSTEM_ADDRESS } from '../../chain/constants.ts'
import type { AccessList } from '../../chain/transaction/transaction.ts'
import { bigintToHash } from '../../primitives/quantity.ts'

/** Length of the ring buffers in the contracts of EIP-2935 and EIP-4788. */
const RING_LENGTH = 8_191n

/** Number and time of a block. */
export interface BlockPlace {
  readonly number: number
  /** Unix seconds. */
  readonly timestamp: bigint
}

/**
 * Accounts and slots that the calls at the start of blocks read and overwrite (EIP-2935, EIP-4788): for a block and,
 * with `ahead`, as many block numbers and seconds after it.
 */
export function openingSlots({ number, timestamp }: BlockPlace, ahead = 0): AccessList {
  const steps = Array.from({ length: ahead + 1 }, (_, step) => BigInt(step))
  const parents = steps.map((step) => (BigInt(number) - 1n + step) % RING_LENGTH)
  const times = steps.map((step) => (timestamp + step) % RING_LENGTH)
  return [
    { address: SYSTEM_ADDRESS, storageKeys: [] },
    { address: HISTORY_STORAGE_ADDRESS, storageKeys: parents.map(bigintToHash) },
    {
      address: BEACON_ROOTS_ADDRESS,
      storageKeys: times.flatMap((time) => [bigintToHash(time), bigintToHash(time + RING_LENGTH)]),
    },
  ]
}
