import type { CallRequest } from '../../../engine/call/call-message.ts'
import type { ParityTracerOptions } from '../../../engine/trace/parity-tracer.ts'
import type { Address } from '../../../primitives/hex.ts'
import type { Height } from '../../logs/log-range.ts'
import { blockHeight } from '../block-reference.ts'
import { address } from '../bytes.ts'
import { callObject } from '../call-object.ts'
import { type Codec, describe, InvalidValueError, listOf, within } from '../codec.ts'
import { objectOf } from '../object.ts'
import { plainNumber } from '../small-numbers.ts'

const TRACE_TYPES = ['trace', 'vmTrace', 'stateDiff'] as const

/** Names of the members that a result of the `trace` namespace has. */
export const traceTypes: Codec<ParityTracerOptions> = {
  decode(json) {
    const names = listOf(traceType, 2 * TRACE_TYPES.length).decode(json)
    return Object.fromEntries(names.map((name) => [name, true]))
  },
  encode: (options) => TRACE_TYPES.filter((name) => options[name]),
  schema: { type: 'array', items: { type: 'string', enum: [...TRACE_TYPES] } },
}

const traceType: Codec<(typeof TRACE_TYPES)[number]> = {
  decode(json) {
    const known = TRACE_TYPES.find((name) => name === json)
    if (known === undefined) throw new InvalidValueError(`unknown trace type, want one of ${TRACE_TYPES.join(', ')}`)
    return known
  },
  encode: (name) => name,
  schema: { type: 'string', enum: [...TRACE_TYPES] },
}

/** A call of `trace_callMany` and what to return of it. */
export interface TracedCall {
  readonly request: CallRequest
  readonly types: ParityTracerOptions
}

/** Calls of one request: each costs a response of its own. */
export const MAX_TRACED_CALLS = 1_000

const tracedCall: Codec<TracedCall> = {
  decode(json) {
    if (!Array.isArray(json)) throw new InvalidValueError(`expected [call, types], got ${describe(json)}`)
    return {
      request: within('[0]', () => callObject.decode(json[0])),
      types: within('[1]', () => traceTypes.decode(json[1])),
    }
  },
  encode: ({ request, types }) => [callObject.encode(request), traceTypes.encode(types)],
  schema: { type: 'array', title: 'call object and trace types' },
}

export const tracedCalls = listOf(tracedCall, MAX_TRACED_CALLS)

/** Which frames `trace_filter` returns. */
export interface TraceFilter {
  readonly fromBlock?: Height
  readonly toBlock?: Height
  /** Senders; creators; destroyed contracts. */
  readonly fromAddress?: readonly Address[]
  /** Recipients; created contracts; beneficiaries. */
  readonly toAddress?: readonly Address[]
  /** Whether a frame has to match one of both lists or both. */
  readonly mode?: 'union' | 'intersection'
  /** Matching frames to skip. */
  readonly after?: number
  /** Matching frames to return at most. */
  readonly count?: number
}

export const MAX_TRACE_ADDRESSES = 1_000
const MODES = ['union', 'intersection'] as const
const filterMode: Codec<(typeof MODES)[number]> = {
  decode(json) {
    const known = MODES.find((name) => name === json)
    if (known === undefined) throw new InvalidValueError(`expected ${MODES.join(' or ')}`)
    return known
  },
  encode: (mode) => mode,
  schema: { type: 'string', enum: [...MODES] },
}
export const traceFilter = objectOf<TraceFilter>({
  fromBlock: blockHeight,
  toBlock: blockHeight,
  fromAddress: listOf(address, MAX_TRACE_ADDRESSES),
  toAddress: listOf(address, MAX_TRACE_ADDRESSES),
  mode: filterMode,
  after: plainNumber,
  count: plainNumber,
})

/** Path to a frame: its index in each of its callers. */
export const traceAddress = listOf(plainNumber, 1_025)
