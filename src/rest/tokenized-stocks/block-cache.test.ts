import { expect, test } from 'vitest'
import { bigintToHash } from '../../primitives/quantity.ts'
import { BlockCache } from './block-cache.ts'

const [ONE, TWO, THREE] = [1n, 2n, 3n].map(bigintToHash) as [ReturnType<typeof bigintToHash>, never, never]

function counted(options: ConstructorParameters<typeof BlockCache>[0]) {
  const cache = new BlockCache<number>(options)
  let made = 0
  return { cache, request: (hash: typeof ONE, key = 'a') => cache.get(hash, key, async () => ++made) }
}

test('concurrent lookups share one read', async () => {
  const { request } = counted({ maxBlocks: 2, maxPerBlock: 2 })
  expect(await Promise.all([request(ONE), request(ONE), request(ONE, 'b')])).toEqual([1, 1, 2])
})

test('evicts the least recently used block', async () => {
  const { request } = counted({ maxBlocks: 2, maxPerBlock: 2 })
  await request(ONE)
  await request(TWO)
  await request(ONE)
  await request(THREE)
  expect([await request(ONE), await request(TWO)]).toEqual([1, 4])
})

test('rejects all waiting lookups with a failure, and does not cache it', async () => {
  const cache = new BlockCache<number>({ maxBlocks: 1, maxPerBlock: 1 })
  const failing = () => Promise.reject(new Error('unreadable'))
  const outcomes = await Promise.allSettled([cache.get(ONE, 'a', failing), cache.get(ONE, 'a', failing)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await cache.get(ONE, 'a', async () => 7)).toBe(7)
})
