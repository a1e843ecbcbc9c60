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

test('the ABIs of a node are used after those of the user, and not stored', () => {
  const stored: string[] = []
  const abis = new AbiStorage({ getItem: () => null, setItem: (_, text) => void stored.push(text) })
  const ofNode = [{ name: 'Node', abi: [{ ...JSON.parse(ABI)[0], inputs: [], outputs: [] }] as const }]

  abis.useNode(ofNode)
  abis.add('Mine.json', ABI)

  expect(abis.state.value).toMatchObject({ sources: [{ name: 'Mine' }], ofNode: [{ name: 'Node' }] })
  expect(abis.state.value.book.functions('0x26121ff0')).toHaveLength(2)
  expect(stored.join()).not.toContain('Node')
})
