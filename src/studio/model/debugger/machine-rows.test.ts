import { describe, expect, test } from 'vitest'
import type { StepTrace } from '../../../solidity/trace/step-trace.ts'
import { memoryRows, opcodeRows, variableRows } from './machine-rows.ts'

const ADD = 0x01
const STEPS = 10
const trace = {
  count: STEPS,
  programCounters: Uint32Array.from({ length: STEPS }, (_, index) => 2 * index),
  opcodes: new Uint8Array(STEPS).fill(ADD),
  depths: new Uint16Array(STEPS).fill(1),
} as Partial<StepTrace> as StepTrace
const gas = new Float64Array(STEPS).fill(3)

describe('opcodeRows', () => {
  test.each([
    [0, [0, 1, 2]],
    [5, [4, 5, 6]],
    [9, [7, 8, 9]],
  ])('shows as many instructions around step %i as there is room for', (step, expected) => {
    const rows = opcodeRows(trace, gas, step, 3)

    expect(rows.map((row) => row.step)).toEqual(expected)
    expect(rows[0]).toMatchObject({ name: 'ADD', gas: 3, depth: 1, programCounter: 2 * expected[0]! })
  })

  test('shows a short trace as a whole', () => {
    expect(opcodeRows(trace, gas, 4, 50)).toHaveLength(STEPS)
  })
})

test('memoryRows shows words in hex and as text, up to a limit', () => {
  const memory = new Uint8Array(40)
  memory.set([0x61, 0x62, 0x07], 0)

  expect(memoryRows(memory, 1)).toEqual([{ offset: 0, hex: `616207${'00'.repeat(29)}`, text: `ab.${'.'.repeat(29)}` }])
  expect(memoryRows(memory, 9).map(({ offset, hex }) => [offset, hex.length])).toEqual([
    [0, 64],
    [32, 16],
  ])
})

describe('variableRows', () => {
  const value = (name: string, text: string, parts: readonly never[] = []) => ({ name, type: 'string', text, parts })

  test('puts the parts of a variable below it', () => {
    const entry = { ...value('entry', ''), parts: [value('label', '"rent"'), value('change', '5')] }

    expect(variableRows([entry, value('index', '1')]).map(({ name, depth }) => [name, depth])).toEqual([
      ['entry', 0],
      ['label', 1],
      ['change', 1],
      ['index', 0],
    ])
  })

  test('shows characters that reorder text as replacement characters, and bounds rows', () => {
    expect(variableRows([value('a', 'x\u202ey')])[0]!.text).toBe('x\ufffdy')
    expect(variableRows(Array.from({ length: 1_000 }, () => value('a', '1')))).toHaveLength(400)
  })
})
