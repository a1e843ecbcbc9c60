import { describe, expect, test } from 'vitest'
import type { FlameNode } from '../../../solidity/debugger/gas-profile.ts'
import { flameLayout, functionsByGas } from './flame-layout.ts'

function node(name: string, selfGas: number, children: readonly FlameNode[] = [], firstStep = 0): FlameNode {
  const totalGas = children.reduce((sum, child) => sum + child.totalGas, selfGas)
  return { name, selfGas, totalGas, runs: 1, firstStep, children }
}

const inner = node('Token.move', 30, [], 7)
const root = node('Pool.swap', 40, [node('Pool.check', 20, [node('Token.move', 10, [], 5)], 3), inner])

describe('flameLayout', () => {
  test('places functions below their callers, as wide as their share of the gas', () => {
    const frames = flameLayout(root).map(({ node: { name }, x, width, depth }) => [name, x, width, depth])

    expect(frames).toEqual([
      ['Pool.swap', 0, 1, 0],
      ['Pool.check', 0, 0.3, 1],
      ['Token.move', 0.3, 0.3, 1],
      ['Token.move', 0, expect.closeTo(0.1), 2],
    ])
  })

  test('leaves out functions too narrow to see, and bounds rows and frames', () => {
    const narrow = node('root', 100_000, [node('narrow', 1)])
    const wide = node(
      'root',
      0,
      Array.from({ length: 900 }, (_, index) => node(`f${index}`, 1)),
    )
    const deep = Array.from({ length: 100 }).reduce<FlameNode>(
      (below, _, index) => node(`f${index}`, 1, [below]),
      inner,
    )

    expect(flameLayout(narrow)).toHaveLength(1)
    expect(flameLayout(wide)).toHaveLength(600)
    expect(flameLayout(deep)).toHaveLength(40)
  })

  test('shows a function whose gas is refunded or zero without children', () => {
    expect(flameLayout(node('idle', 0, [node('inner', 0)]))).toHaveLength(1)
  })
})

describe('functionsByGas', () => {
  test('adds the runs of a function by all callers, the most expensive one first', () => {
    expect(functionsByGas(root).map(({ name, selfGas, runs, firstStep }) => [name, selfGas, runs, firstStep])).toEqual([
      ['Pool.swap', 40, 1, 0],
      ['Token.move', 40, 2, 5],
      ['Pool.check', 20, 1, 3],
    ])
  })
})
