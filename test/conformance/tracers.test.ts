import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ZERO_ADDRESS } from '../../src/primitives/hex.ts'
import {
  conformanceBytes,
  conformanceJson,
  conformancePath,
  findConformanceData,
  hasConformanceData,
} from '../support/conformance-data.ts'
import { type TracerCase, traceOf } from './tracer-case.ts'

/** Suites of cases, and the tracer of each. */
const SUITES = [
  ['call_tracer', 'callTracer'],
  ['call_tracer_withLog', 'callTracer'],
  ['call_tracer_flat', 'flatCallTracer'],
  ['erc7562_tracer', 'erc7562Tracer'],
  ['prestate_tracer', 'prestateTracer'],
  ['prestate_tracer_with_diff_mode', 'prestateTracer'],
] as const

for (const [suite, tracer] of SUITES) {
  const cases = casesOf(suite)
  describe.skipIf(cases.length === 0)(`${tracer}, ${cases.length} cases of ${suite}`, () => {
    test.each(cases)('returns the trace of go-ethereum in %s', async (_, testCase) => {
      expect(compared(await traceOf(testCase, tracer))).toEqual(compared(recorded(testCase.result)))
    })
  })
}

/** Suites that were recorded with tracers in JavaScript, which are part of go-ethereum. */
for (const suite of ['call_tracer_legacy', 'prestate_tracer_legacy']) {
  const script = `tracers/javascript/${suite}.js`
  const hasScript = hasConformanceData(script, `cases of ${suite}.js, a tracer of go-ethereum`)
  const cases = hasScript ? casesOf(suite) : []
  describe.skipIf(cases.length === 0)(`${suite}.js, ${cases.length} cases of ${suite}`, () => {
    test.each(cases)('returns the trace of go-ethereum in %s', async (_, testCase) => {
      const trace = await traceOf(testCase, conformanceBytes(script).toString())
      const [received, expected] = [trace, testCase.result].map((one) => compared(withoutEmptyOutput(recorded(one))))
      expect(received).toEqual(expected)
    })
  })
}

/** The cases by name: a folder of files where they were fetched, one compressed file beside the checkout. */
function casesOf(suite: string): readonly (readonly [name: string, testCase: TracerCase])[] {
  const folder = `tracers/${suite}`
  if (findConformanceData(folder) !== undefined) {
    const names = readdirSync(conformancePath(folder)).filter((name) => name.endsWith('.json'))
    if (names.length === 0) throw new Error(`${folder} has no cases: fetch them again`)
    return names.map((name) => [name, conformanceJson(join(folder, name)) as TracerCase])
  }
  const file = `${folder}.json.gz`
  if (!hasConformanceData(file, `go-ethereum's cases of ${suite}`)) return []
  return Object.entries(conformanceJson(file) as Record<string, TracerCase>)
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

/** A frame of `callTracer`. */
interface CallFrame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly input?: string
  readonly output?: string
  readonly calls?: readonly CallFrame[]
  readonly logs?: readonly object[]
}

function isCallFrame(trace: unknown): trace is CallFrame {
  return typeof trace === 'object' && trace !== null && 'type' in trace && 'from' in trace
}

/** Recordings of older versions leave out empty members, and write addresses in mixed case. */
function recorded(trace: unknown): unknown {
  if (!isCallFrame(trace)) return trace
  const { from, to, input = '0x', calls, logs, ...frame } = trace
  return {
    ...frame,
    from: from.toLowerCase(),
    to: to?.toLowerCase(),
    input,
    calls: calls?.map(recorded),
    logs: logs?.map((log) => ({ index: '0x0', ...log })),
  }
}

/** go-ethereum's own test reads an empty output like an absent one. */
function withoutEmptyOutput(trace: unknown): unknown {
  if (!isCallFrame(trace)) return trace
  const { output, calls, ...frame } = trace
  return { ...frame, output: output === '0x' ? undefined : output, calls: calls?.map(withoutEmptyOutput) }
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
