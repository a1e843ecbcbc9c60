import { expect, test } from 'vitest'
import { compiledContracts } from '../../../test/debugger/solidity-fixtures.ts'
import { rangeOf, type SyntaxNode } from '../syntax/syntax-tree.ts'
import { contractLineage } from './lineage.ts'
import { stackVariables } from './local-variables.ts'

const CONTRACTS = compiledContracts({
  'Guarded.sol': `
    contract Base {
      modifier guard() virtual { uint256 one = 1; _; }
      function run(uint256 given) external virtual guard returns (uint256 result) {
        uint256 local = given + 1;
        result = local;
      }
    }
    contract Derived is Base {
      modifier guard() override { uint256 two = 2; uint256 three = 3; _; }
    }`,
})

test.each([
  ['Base', ['given', 'result', 'one', 'local']],
  ['Derived', ['given', 'result', 'two', 'three', 'local']],
])('variables of a body are above those of the modifier that %s runs', (name, names) => {
  const contract = CONTRACTS.find(({ facts }) => facts.name === name)!
  const { syntax } = contract.sources
  const run = syntax.functions.find((one) => one.name === 'run')!
  const [, last] = (run.node.body as SyntaxNode).statements as readonly SyntaxNode[]

  const variables = stackVariables(run, rangeOf(last!), syntax, contractLineage(contract))

  expect(variables.map((variable) => variable.name)).toEqual(names)
  expect(variables.map(({ slot }) => slot)).toEqual(names.map((_, slot) => slot))
})
