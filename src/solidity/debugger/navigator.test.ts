import { expect, test } from 'vitest'
import { SourceFile } from '../syntax/source-file.ts'
import type { Activation } from './activations.ts'
import { Navigator } from './navigator.ts'

const FILE = new SourceFile(0, 'Pool.sol', '')

/** Activations by step, as indexes, and lines by step; -1: none. */
function navigator(list: readonly Activation[], byStep: readonly number[], lines: readonly number[]): Navigator {
  const known = [1, 2, 3].map((line) => ({ file: FILE, line }))
  return new Navigator({ lines: known, byStep: Int32Array.from(lines) }, { list, byStep: Int32Array.from(byStep) })
}

function external(index: number, parent: number | undefined, firstStep: number, endStep: number): Activation {
  const depth = parent === undefined ? 0 : 1
  return { index, parent, kind: 'external', frame: index, firstStep, endStep, depth, function: undefined }
}

test('the last line of a frame is one of its own, though a call within it has later ones', () => {
  const list = [external(0, undefined, 0, 6), external(1, 0, 2, 4)]
  const inner = { index: 1, firstStep: 2, endStep: 4 }
  const outer = { index: 0, firstStep: 0, endStep: 6 }

  const found = navigator(list, [0, 0, 1, 1, 0, 0], [0, -1, 1, 2, -1, -1])
  const unverified = navigator(list, [0, 0, 1, 1, 0, 0], [-1, -1, 1, 2, -1, -1])

  expect(found.lastLineOf(outer)).toBe(0)
  expect(found.lastLineOf(inner)).toBe(3)
  expect(unverified.lastLineOf(outer)).toBeUndefined()
})

test('the step with the line of generated code is the last one before it in the same activation', () => {
  const list = [external(0, undefined, 0, 6), external(1, 0, 2, 4)]

  const found = navigator(list, [0, 0, 1, 1, 0, 0], [0, -1, -1, 2, -1, 1])

  expect([0, 1, 2, 3, 4, 5].map((step) => found.lineStepAt(step))).toEqual([0, 0, undefined, 3, 0, 5])
})

test('lines of a million steps of generated code are found in one pass', () => {
  const count = 1_000_000
  const lines = new Array<number>(count).fill(-1)
  lines[0] = 0

  const found = navigator([external(0, undefined, 0, count)], new Array<number>(count).fill(0), lines)
  let sum = 0
  for (let step = 0; step < count; step++) sum += found.lineStepAt(step)!

  expect(sum).toBe(0)
})
