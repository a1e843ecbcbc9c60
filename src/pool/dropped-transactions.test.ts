import { describe, expect, it } from 'vitest'
import { bigintToHash } from '../primitives/quantity.ts'
import { DroppedTransactions } from './dropped-transactions.ts'

const HASHES = [1n, 2n, 3n].map(bigintToHash)

describe('DroppedTransactions', () => {
  it('forgets the oldest reasons beyond its capacity, also when the capacity shrinks', () => {
    const dropped = new DroppedTransactions({ capacity: 3 })
    for (const hash of HASHES) dropped.add(hash, { code: 'EXPIRED' })

    dropped.resize(2)
    const afterShrinking = dropped.entries().map(({ hash }) => hash)
    dropped.add(HASHES[0]!, { code: 'EXPIRED' })

    expect(afterShrinking).toEqual([HASHES[1], HASHES[2]])
    expect(dropped.entries().map(({ hash }) => hash)).toEqual([HASHES[2], HASHES[0]])
  })
})
