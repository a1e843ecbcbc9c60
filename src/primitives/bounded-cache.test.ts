import { expect, it } from 'vitest'
import { BoundedCache } from './bounded-cache.ts'

it('evicts the least recently used value and stays within its bound', () => {
  const cache = new BoundedCache<string, number>({ maxBytes: 10 })
  cache.set('a', 1, 4)
  cache.set('b', 2, 4)
  cache.get('a')
  cache.set('c', 3, 4)
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3])
  cache.set('a', 5, 6)
  expect(['a', 'c'].map((key) => cache.get(key))).toEqual([5, 3])
  cache.set('too large', 6, 11)
  expect(['a', 'c', 'too large'].map((key) => cache.get(key))).toEqual([undefined, undefined, undefined])
  cache.set('d', 7, 10)
  expect(cache.get('d')).toBe(7)
})

it('evicts nothing for an offer that is too large, except the previous value of its key', () => {
  const cache = new BoundedCache<string, number>({ maxBytes: 10 })
  cache.offer('a', 1, 4)
  cache.offer('b', 2, 4)
  cache.offer('too large', 3, 11)
  cache.offer('b', 4, 11)
  expect(['a', 'b', 'too large'].map((key) => cache.get(key))).toEqual([1, undefined, undefined])
  cache.offer('c', 5, 6)
  expect(['a', 'c'].map((key) => cache.get(key))).toEqual([1, 5])
})
