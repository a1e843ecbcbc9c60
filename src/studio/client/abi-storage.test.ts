import { expect, test } from 'vitest'
import { AbiStorage, storageOr, type TextStorage } from './abi-storage.ts'

const ABI = JSON.stringify([{ type: 'function', name: 'f', stateMutability: 'view' }])

test('a blocked storage is replaced by one that lasts as long as the page', () => {
  const storage = storageOr(() => {
    throw new Error('SecurityError')
  })
  expect(new AbiStorage(storage).add('Mine.json', ABI)).toBeUndefined()
  expect(new AbiStorage(storage).state.value.sources.map(({ name }) => name)).toEqual(['Mine'])
})

test('an open storage is used as it is', () => {
  const storage: TextStorage = { getItem: () => null, setItem: () => undefined }
  expect(storageOr(() => storage)).toBe(storage)
})

test('a stored ABI that cannot be drawn is left out', () => {
  const sources = [
    { name: 'broken', abi: [{ type: 'function', name: 'f', inputs: [null] }] },
    { name: 'whole', abi: JSON.parse(ABI) },
  ]
  const storage: TextStorage = { getItem: () => JSON.stringify(sources), setItem: () => undefined }
  expect(new AbiStorage(storage).state.value.sources.map(({ name }) => name)).toEqual(['whole'])
})
