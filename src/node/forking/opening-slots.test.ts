import { expect, test } from 'vitest'
import { BEACON_ROOTS_ADDRESS, HISTORY_STORAGE_ADDRESS } from '../../chain/constants.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { openingSlots } from './opening-slots.ts'

const words = (...values: bigint[]) => values.map(bigintToHash)

test('names the slot of the parent hash (EIP-2935) and both slots of the time (EIP-4788)', () => {
  const slots = openingSlots({ number: 8_193, timestamp: 8_191n * 5n + 7n })

  expect(slots.slice(1)).toEqual([
    { address: HISTORY_STORAGE_ADDRESS, storageKeys: words(1n) },
    { address: BEACON_ROOTS_ADDRESS, storageKeys: words(7n, 8_198n) },
  ])
})

test('names as many following numbers and seconds as are wanted, around the end of the ring', () => {
  const slots = openingSlots({ number: 8_191, timestamp: 8_190n }, 1)

  expect(slots.slice(1)).toEqual([
    { address: HISTORY_STORAGE_ADDRESS, storageKeys: words(8_190n, 0n) },
    { address: BEACON_ROOTS_ADDRESS, storageKeys: words(8_190n, 16_381n, 0n, 8_191n) },
  ])
})
