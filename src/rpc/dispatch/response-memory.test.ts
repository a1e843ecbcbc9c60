import { expect, test } from 'vitest'
import { ResponseMemory } from './response-memory.ts'

const KIBIBYTE = 1024

test('limits the memory of all responses together, and always admits a small one', () => {
  const assembled = new ResponseMemory({ limit: 200 * KIBIBYTE })
  const first = assembled.begin()
  const second = assembled.begin()
  first.add(150 * KIBIBYTE)
  expect([first.hasRoom(), second.hasRoom()]).toEqual([true, true])
  second.add(60 * KIBIBYTE)
  expect([first.hasRoom(), second.hasRoom()]).toEqual([false, true])
  second.add(10 * KIBIBYTE)
  expect(second.hasRoom()).toBe(false)
  first.end()
  expect(second.hasRoom()).toBe(true)
})

test('end() releases the memory of a response once', () => {
  const assembled = new ResponseMemory({ limit: 100 * KIBIBYTE })
  const first = assembled.begin()
  first.add(90 * KIBIBYTE)
  first.end()
  first.end()
  const second = assembled.begin()
  second.add(99 * KIBIBYTE)
  expect(second.hasRoom()).toBe(true)
  second.add(1 * KIBIBYTE)
  expect(second.hasRoom()).toBe(false)
})

test('a growing response counts once, and a single one is always admitted', () => {
  const assembled = new ResponseMemory({ limit: 100 * KIBIBYTE })
  const first = assembled.begin()
  expect(first.grow(90 * KIBIBYTE)).toBe(true)
  expect(first.grow(150 * KIBIBYTE)).toBe(true)
  const second = assembled.begin()
  expect([second.grow(60 * KIBIBYTE), second.grow(70 * KIBIBYTE)]).toEqual([true, false])
  second.end()
  // Complete, it takes what it has become.
  first.add(20 * KIBIBYTE)
  expect(second.grow(80 * KIBIBYTE)).toBe(true)
  expect(second.grow(81 * KIBIBYTE)).toBe(false)
})
