import { expect, test } from 'vitest'
import { compileHere, inputOf } from '../../../test/support/solidity-sources.ts'

const contract = { path: 'src/Proxy.sol', name: 'Proxy' }

test('large sources are compiled without syntax trees, and the result says so', async () => {
  const input = inputOf({}, (text) => `${text}// ${'x'.repeat(2 ** 19)}\n`)
  const [large, small] = await Promise.all([
    compileHere({ input, contract }),
    compileHere({ input: inputOf(), contract }),
  ])

  expect(large.contract.trees).toBeUndefined()
  expect(large.contract.leftOut).toContain('syntax trees')
  expect(Object.keys(small.contract.trees!)).toEqual(['src/Proxy.sol'])
  expect(small.contract.leftOut).toBeUndefined()
})
