import { toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import contractAbis from '../../live/names/contract-abis.json' with { type: 'json' }
import { callName } from './call-names.ts'

test('names every function of contracts/ by its selector', () => {
  const functions = Object.values(contractAbis)
    .flat()
    .filter((signature) => signature.startsWith('function '))
  for (const signature of functions) {
    expect(callName(toFunctionSelector(signature))).toBe(/function (\w+)/.exec(signature)![1])
  }
  expect(callName('0xdeadbeef')).toBe('0xdeadbeef')
})
