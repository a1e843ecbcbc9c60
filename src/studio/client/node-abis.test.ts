import { expect, test } from 'vitest'
import { readNodeAbis } from './studio.ts'

const ITEM = { type: 'function', name: 'poke', inputs: [], outputs: [], stateMutability: 'view' }

function nodeWith(status: number, text: string) {
  return { read: async () => ({ status, text }) }
}

test('reads the ABIs of a node, and leaves out what is no ABI', async () => {
  const list = [{ name: 'Poker', abi: [ITEM] }, { name: 'Wrong', abi: [{ type: 'function', inputs: null }] }, null]

  expect(await readNodeAbis(nodeWith(200, JSON.stringify(list)))).toEqual([{ name: 'Poker', abi: [ITEM] }])
})

test.each([
  [404, '{"error":"no such page"}'],
  [200, '<html>'],
  [200, '{}'],
])('has no ABIs of a node that answers %i with %s', async (status, text) => {
  expect(await readNodeAbis(nodeWith(status, text))).toEqual([])
})
