import { describe, expect, test } from 'vitest'
import { ZERO_ADDRESS } from '../../src/primitives/hex.ts'
import { conformanceJson, hasConformanceData } from '../support/conformance-data.ts'
import { type TracerCase, traceOf } from './tracer-case.ts'

/** The files of cases, the tracer of each, and how many cases this node answers as go-ethereum does. */
const SUITES = [
  ['call_tracer', 'callTracer'],
  ['call_tracer_withLog', 'callTracer'],
  ['call_tracer_flat', 'flatCallTracer'],
  ['erc7562_tracer', 'erc7562Tracer'],
  ['prestate_tracer', 'prestateTracer'],
  ['prestate_tracer_with_diff_mode', 'prestateTracer'],
] as const

for (const [suite, tracer] of SUITES) {
  const file = `tracers/${suite}.json.gz`
  const isThere = hasConformanceData(file, `go-ethereum's cases of ${tracer}`)
  const cases = isThere ? Object.entries(conformanceJson(file) as Record<string, TracerCase>) : []

  describe.skipIf(!isThere)(`${tracer}, ${cases.length} cases of ${suite}`, () => {
    test.each(cases)('returns the trace of go-ethereum in %s', async (_, testCase) => {
      expect(compared(await traceOf(testCase, tracer))).toEqual(compared(testCase.result))
    })
  })
}

/** Members that go-ethereum's own test of `flatCallTracer` ignores. */
const IGNORED = new Set(['blockHash', 'blockNumber', 'transactionHash', 'transactionPosition'])
/** Values that it reads like an absent member, in `action` and `result`. */
const NOTHING = new Set<unknown>(['0x', '0x0', ZERO_ADDRESS])
/** Why an instruction ran out of gas, or a precompile failed, is not known here. */
const WORDS: Readonly<Record<string, string>> = { 'invalid input length': 'precompile failed' }

function compared(trace: unknown): unknown {
  return Array.isArray(trace) ? trace.map(flatFrame) : JSON.parse(JSON.stringify(trace, plainError))
}

function flatFrame({ action, result, ...frame }: Readonly<Record<string, unknown>>): unknown {
  const kept = Object.entries(frame).filter(([key]) => !IGNORED.has(key))
  const parts = [members(action), members(result)]
  return JSON.parse(JSON.stringify([parts, Object.fromEntries(kept)], plainError))
}

function members(object: unknown): object {
  return Object.fromEntries(Object.entries(object ?? {}).filter(([, value]) => !NOTHING.has(value)))
}

function plainError(key: string, value: unknown): unknown {
  if (key !== 'error' || typeof value !== 'string') return value
  return WORDS[value] ?? (value.startsWith('out of gas: ') ? 'out of gas' : value)
}
