import fc from 'fast-check'
import type { TracerChoice } from '../../src/engine/trace/create-tracer.ts'
import { MAX_RANGE_STEPS } from '../../src/rpc/codecs/traces/trace-config.ts'

/** Tracers of the debug namespace with their options. */
export const tracer: fc.Arbitrary<TracerChoice> = fc.oneof(
  fc.record({
    name: fc.constant('structLogger' as const),
    options: fc.record(
      { enableMemory: fc.boolean(), disableStack: fc.boolean(), limit: fc.nat() },
      { requiredKeys: [] },
    ),
  }),
  fc.record({
    name: fc.constant('callTracer' as const),
    options: fc.record({ onlyTopCall: fc.boolean(), withLog: fc.boolean() }, { requiredKeys: [] }),
  }),
  fc.record({
    name: fc.constant('prestateTracer' as const),
    options: fc.record({ diffMode: fc.boolean(), includeEmpty: fc.boolean() }, { requiredKeys: [] }),
  }),
  fc.record({
    name: fc.constant('flatCallTracer' as const),
    options: fc.record({ convertParityErrors: fc.boolean(), includePrecompiles: fc.boolean() }, { requiredKeys: [] }),
  }),
  fc.record({
    name: fc.constant('erc7562Tracer' as const),
    options: fc.record(
      { withLog: fc.boolean(), ignoredOpcodes: fc.array(fc.nat(255), { maxLength: 3 }) },
      { requiredKeys: [] },
    ),
  }),
  fc.record({
    name: fc.constant('stepWindowsTracer' as const),
    options: fc.record(
      { ranges: fc.array(fc.record({ from: fc.nat(), count: fc.nat(MAX_RANGE_STEPS) }), { maxLength: 3 }) },
      { requiredKeys: [] },
    ),
  }),
  fc.record({
    name: fc.constantFrom(...(['4byteTracer', 'keccak256PreimageTracer', 'noopTracer', 'stepColumnsTracer'] as const)),
  }),
)

/** Timeouts in milliseconds, whole or to the nanosecond. */
export const durations = fc.oneof(
  fc.nat(600_000_000),
  fc.integer({ min: 0, max: 240 * 3_600e9 }).map((nanoseconds) => nanoseconds / 1e6),
)

/** Types of Parity traces. */
export const traceTypeSets = fc
  .subarray(['trace', 'vmTrace', 'stateDiff'] as const)
  .map((names) => Object.fromEntries(names.map((name) => [name, true])))
